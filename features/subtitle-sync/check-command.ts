import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ServiceError } from '../../contract/base/errors.ts';
import type { Range } from '../../contract/base/grammar.ts';
import { verdictWords } from '../../contract/captions/stretch-words.ts';
import type { ResyncedStretch } from '../../contract/sources/derived-subtitles.ts';
import { maximumSubtitleBytes } from '../../contract/sources/subtitle-track.ts';
import type { RuntimeRow } from '../../contract/study/status.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import { openSubtitleFile } from '../../formats/subtitles.ts';
import { pathOption } from '../../options/flags.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import type { TimedText } from '../../rules/dialogue.ts';
import { ruleSets } from '../../rules/rule-sets.ts';
import { joined } from '../../rules/time-spans.ts';
import { type VerbCall, VerbRefusal } from '../feature.ts';
import { cuesOfFile, recordedStretch } from './subtitle-cues.ts';
import { checkedBySteps, type SyncCheck } from './sync-check.ts';

/** Subtitles to compare: a text track of a study, or a file. */
interface Subtitles {
  readonly label: string;
  readonly trackIndex: number | null;
  readonly language: string | null;
  readonly cues: readonly TimedText[];
}

/** A study with the windows of speech that it detected. */
interface Heard {
  readonly study: RuntimeRow;
  readonly windows: readonly Range[];
}

type Evidence = Awaited<ReturnType<VerbCall['host']['evidence']>>['evidence'];

function speechIn(evidence: Evidence): readonly Range[] | null {
  for (const row of evidence) {
    if (row.kind !== 'speech_activity' || row.state !== 'available') continue;
    const spans = row.facts.flatMap((fact) => (fact.kind === 'speech_window' ? [fact] : []));
    return joined(spans.map(({ startMs, endMs }) => ({ startMs, endMs })));
  }
  return null;
}

/** The newest study of a film that listened to it. Throws `VerbRefusal`. */
export async function studyWithSpeech({ host, studies, film }: VerbCall): Promise<Heard> {
  const all = await studies();
  const ended = all.filter(({ terminal }) => terminal);
  for (const study of ended) {
    const windows = speechIn((await host.evidence(study.runtimeId, 'speech_activity')).evidence);
    if (windows !== null) return { study, windows };
  }
  throw new VerbRefusal(
    all.length > ended.length
      ? `the study of ${film} is not finished, so its speech is not known yet; try again when it has ended`
      : `no study of ${film} detected speech: the film has no sound, or the study failed`,
  );
}

/** The text tracks of a study. */
export async function subtitlesInStudy({ host }: VerbCall, runtimeId: string): Promise<readonly Subtitles[]> {
  const { evidence } = await host.evidence(runtimeId, 'subtitle_track');
  const named = (await host.evidence(runtimeId, 'text_language')).evidence.flatMap(({ facts }) =>
    facts.flatMap((fact) => (fact.kind === 'track_language' ? [fact] : [])),
  );
  const tracks = evidence.flatMap((row) =>
    row.kind === 'subtitle_track' && row.state === 'available' ? [row.facts] : [],
  );
  return tracks.map((facts, at) => {
    const fact = named.length === tracks.length ? named[at] : undefined;
    const cues = facts.flatMap((cue): TimedText[] => {
      if (cue.kind === 'unreadable_cue') return [{ startMs: cue.startMs, endMs: cue.endMs, text: null }];
      if (cue.kind !== 'subtitle_cue') return [];
      const { startMs, endMs, text, placement } = cue;
      return [{ startMs, endMs, text, ...(placement !== undefined && { placement }) }];
    });
    const trackIndex = fact?.trackIndex ?? null;
    const language = fact?.taggedLanguage ?? fact?.code ?? null;
    return { label: trackIndex === null ? `text track ${at + 1}` : `track ${trackIndex}`, trackIndex, language, cues };
  });
}

/** The cues of a file. Throws `VerbRefusal` for one that cannot be read. */
async function fileCues(path: string, encoding: string | null): Promise<Subtitles> {
  const size = await stat(path).then(
    (found) => (found.isFile() ? found.size : null),
    () => null,
  );
  if (size === null) throw new VerbRefusal(`--file ${path}: there is no such file`);
  if (size > maximumSubtitleBytes)
    throw new VerbRefusal(`--file ${path}: it has more than ${maximumSubtitleBytes} bytes, and is not read`);
  try {
    const file = resultOfSteps(openSubtitleFile(await readFile(path), { format: null, encoding }));
    return { label: basename(path), trackIndex: null, language: null, cues: cuesOfFile(file) };
  } catch (error) {
    if (error instanceof ServiceError) throw new VerbRefusal(`--file ${path}: ${error.message}`);
    throw error;
  }
}

/** A stretch with its cues, its times and its verdict. */
export function stretchLine(stretch: ResyncedStretch): string {
  const { cues, startMs, endMs } = stretch;
  return `  cues ${cues.from} to ${cues.to}, ${timeCode(startMs)} to ${timeCode(endMs)}: ${verdictWords(stretch)}`;
}

/** 1 if a stretch is off, else 5 if one is unknown, else 0. */
export function exitOf(checks: readonly SyncCheck[]): ExitCode {
  const verdicts = new Set(checks.flatMap(({ stretches }) => stretches.map(({ verdict }) => verdict)));
  const isOff = (['shifted', 'drifts', 'other_cut'] as const).some((verdict) => verdicts.has(verdict));
  if (isOff) return exitCodes.failed;
  return verdicts.has('unknown') || verdicts.size === 0 ? exitCodes.incomplete : exitCodes.done;
}

/** Compares the text tracks of a study, or one file, with the speech that the study detected. */
export async function checkSubtitles(call: VerbCall): Promise<ExitCode> {
  const { given, terminal } = call;
  const path = pathOption(given, 'file');
  const file = path === null ? null : await fileCues(path, given.single('encoding') ?? null);
  const { study, windows } = await studyWithSpeech(call);
  const tracks = file === null ? await subtitlesInStudy(call, study.runtimeId) : [file];
  if (tracks.length === 0) {
    throw new VerbRefusal(`the study of ${call.film} has no subtitles as text; name a file by --file`);
  }
  const checks: SyncCheck[] = [];
  for (const { label, trackIndex, language, cues } of tracks) {
    const check = resultOfSteps(checkedBySteps(windows, cues, study.range));
    checks.push(check);
    const { runtimeId, range } = study;
    const subtitles = { origin: file === null ? 'track' : 'file', label, trackIndex, language };
    const rules = { alignment: ruleSets.alignment.version };
    terminal.result(
      { schema: 'studio.subtitle-check.v1', runtimeId, film: study.label, range, subtitles, rules, ...check },
      [
        `${label}${language === null ? '' : ` (${language})`}:`,
        ...check.stretches.map((stretch) => stretchLine(recordedStretch(stretch))),
      ],
    );
  }
  if (study.range.startMs > 0) {
    const { startMs, endMs } = study.range;
    terminal.remark(
      `only ${timeCode(startMs)} to ${timeCode(endMs)} was studied; nothing is said of cues outside of it`,
    );
  }
  return exitOf(checks);
}
