import { ServiceError } from '../../contract/base/errors.ts';
import { DetectionFailure } from '../../executors/detector/detection-failure.ts';
import { cueTextOf } from '../../executors/evidence/cue-text.ts';
import { type Cue, readSubtitleTracks } from '../../executors/evidence/subtitle-tracks.ts';
import { type Launcher, ProcessFailure, type ProcessFailureCause } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import { subtitleInput } from '../../executors/sources/media-input.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { faultyLine, type WrittenCue } from '../../receipts/sources/subtitle-cues.ts';
import type { SubtitleFile } from '../../receipts/sources/subtitle-file.ts';
import { codecOf } from '../../receipts/sources/subtitle-track.ts';
import { TimeSlices } from '../supervision/time-slices.ts';

/** Far above what a file of the largest size holds: all of it is read. */
const limits = { maxTrackCues: 200_000, maxTrackBytes: 64 * 1024 * 1024 };
const name = 'subtitles';
/** No file can write a later time. */
const allTime = { startMs: 0, endMs: 10_000 * 60 * 60 * 1000 };

/** These say something of the file; the others of the machine. */
const ofTheFile: readonly ProcessFailureCause[] = ['tool_exit', 'tool_signal', 'output_limit'];

/**
 * Reads a subtitle file with ffmpeg as a study will, and compares each cue with the file: ffmpeg passes over what it cannot place
 * and says nothing of it. Throws `invalid_subtitle_file` at the first cue that it reads otherwise.
 */
export async function demandReadable(
  deps: { readonly launcher: Launcher; readonly ffmpeg: ResolvedTool },
  file: SubtitleFile,
  signal: AbortSignal,
): Promise<void> {
  const codec = codecOf(file.format);
  const read = await readAll(deps, file, codec, signal);
  const slices = new TimeSlices();
  // ffmpeg reads equal cues as one.
  const found = new Set<string>();
  for (const cue of read) {
    await slices.pause();
    found.add(canonicalJson(cue));
  }
  const unseen = new Set(found);
  for (const cue of file.cues) {
    await slices.pause();
    const shown = shownCue(codec, cue);
    if (shown === null) continue;
    const name = canonicalJson(shown);
    if (!found.has(name)) throw faultyLine(cue.line, 'ffmpeg does not read this cue as it stands');
    unseen.delete(name);
  }
  if (unseen.size > 0) throw new ServiceError('invalid_subtitle_file', 'ffmpeg reads cues that the file does not hold');
}

/** A cue as ffmpeg would show it; null for one that is never seen. */
function shownCue(codec: string, { startMs, endMs, text }: WrittenCue): Cue | null {
  // ffmpeg puts the order of reading and the layer before the fields of an ASS event.
  const packet = Buffer.from(codec === 'ass' ? `0,0,${text}` : text, 'utf8');
  const shown = cueTextOf(codec, packet);
  return startMs === endMs || shown.text === '' ? null : { startMs, endMs, ...shown };
}

async function readAll(
  deps: { readonly launcher: Launcher; readonly ffmpeg: ResolvedTool },
  { format, text }: SubtitleFile,
  codec: string,
  signal: AbortSignal,
): Promise<readonly Cue[]> {
  try {
    const [track] = await readSubtitleTracks(deps, {
      input: subtitleInput(`file:${name}`, format),
      tracks: [{ index: 0, codec }],
      files: [{ name, bytes: text }],
      range: allTime,
      ...{ signal, limits },
    });
    return track?.cues ?? [];
  } catch (error) {
    const isOfTheFile =
      error instanceof DetectionFailure || (error instanceof ProcessFailure && ofTheFile.includes(error.reason));
    if (!isOfTheFile) throw error;
    throw new ServiceError('invalid_subtitle_file', `ffmpeg does not read the file (${error.message})`);
  }
}
