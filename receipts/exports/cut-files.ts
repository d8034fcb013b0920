import { ServiceError } from '../../contract/base/errors.ts';
import type { EditRate } from '../../contract/exports.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { frameCode, frameCountOf } from '../../formats/frame-code.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { type ExportedFile, type GradeForm, shotsOf } from './fact-files.ts';
import { type FilmFrames, filmFramesOf } from './film-frames.ts';

/** A shot in frames of the film: the first, and the first behind it. */
interface ShotFrames {
  readonly from: number;
  readonly to: number;
}

/** The frame rate of a file of cuts, absent for that of the film, and whether uncertain cuts are in it. */
interface CutForm extends GradeForm {
  readonly rate?: EditRate | undefined;
}

/** Shots in frames, without those in which no frame begins: a clip needs a length. The last one ends with the last picture. */
function shotFramesOf(runtime: VerifiedRuntime, form: CutForm) {
  const { shots, contentId } = shotsOf(runtime, form);
  const frames = filmFramesOf(runtime, form.rate);
  const placed = shots.map(({ startMs, endMs }, at): ShotFrames => {
    const behind = at === shots.length - 1 ? frames.endFrame : null;
    return { from: frames.frameAt(startMs), to: behind ?? frames.frameAt(endMs) };
  });
  const madeOf = frames.contentId === null ? [contentId] : [contentId, frames.contentId];
  return { frames, shots: placed.filter(({ from, to }) => from < to), contentId, madeOf };
}

/** One line, as edit lists have it. */
const lineOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const REEL_LETTERS = 8;

/** The reel of an event has eight letters and digits; `AX` stands for a film without one. */
const reelOf = ({ reel }: FilmFrames): string =>
  (reel ?? '').replaceAll(/[^A-Za-z0-9_]/g, '').slice(0, REEL_LETTERS) || 'AX';

/**
 * The shots of the studied range as a CMX3600 edit decision list, one event each, in the order of the media. Source codes count from
 * the film's own time code, and record codes from zero. Comments follow the first event, because readers refuse them before it
 * (cmx_3600 of OpenTimelineIO). Throws `frame_rate_required` for a rate that edit lists do not have.
 */
export function editDecisionList(runtime: VerifiedRuntime, form: CutForm): ExportedFile {
  const { label } = runtime.source.registered;
  const { frames, shots, contentId, madeOf } = shotFramesOf(runtime, form);
  const { editRate, drops, startFrame, rate } = frames;
  if (editRate === null) {
    const own = Number((rate.numerator / rate.denominator).toFixed(3));
    throw new ServiceError(
      'frame_rate_required',
      `edit decision lists have no ${own} frames a second, as the film has`,
    );
  }
  const count = frameCountOf(editRate, drops);
  const first = shots[0]?.from ?? 0;
  const notes = [
    `* ${editRate} FRAMES A SECOND`,
    ...(frames.isUneven ? ['* THE FILM HAS NO EVEN RATE: FRAMES ARE COUNTED BY TIME'] : []),
    ...(frames.reel === null ? [] : [`* REEL NAME: ${lineOf(frames.reel)}`]),
    `* SHOT CHANGES ${contentId}`,
  ];
  const events = shots.flatMap(({ from, to }, at) => {
    const places = [startFrame + from, startFrame + to, from - first, to - first];
    const codes = places.map((frame) => frameCode(frame, count)).join(' ');
    return [
      `${String(at + 1).padStart(3, '0')}  ${reelOf(frames).padEnd(REEL_LETTERS)} V     C        ${codes}`,
      `* FROM CLIP NAME: ${lineOf(label)}`,
      ...(at === 0 ? notes : []),
    ];
  });
  const head = [`TITLE: ${lineOf(label)}`, count.dropped === 0 ? 'FCM: NON-DROP FRAME' : 'FCM: DROP FRAME'];
  return { text: `${[...head, ...events].join('\n')}\n`, madeOf };
}

/** The name of the media: editors look for a file of this name beside the timeline. */
function targetOf({ source: { registered } }: VerifiedRuntime): string {
  return encodeURIComponent('filename' in registered ? registered.filename : registered.label);
}

/**
 * The shots of the studied range as a timeline of OpenTimelineIO: one track with one clip a shot, in frames of the film. The media
 * begins at the film's own time code.
 */
export function openTimeline(runtime: VerifiedRuntime, form: CutForm): ExportedFile {
  const { frames, shots, contentId, madeOf } = shotFramesOf(runtime, form);
  const { label, session } = runtime.source.registered;
  const { runtimeId } = runtime.accepted.record;
  const { numerator, denominator } = frames.rate;
  const rate = numerator / denominator;
  const timeOf = (value: number) => ({ OTIO_SCHEMA: 'RationalTime.1', rate, value });
  const rangeOf = (from: number, to: number) => ({
    OTIO_SCHEMA: 'TimeRange.1',
    start_time: timeOf(frames.startFrame + from),
    duration: timeOf(to - from),
  });
  const lastShot = shots.at(-1)?.to ?? 0;
  const media = {
    OTIO_SCHEMA: 'ExternalReference.1',
    name: label,
    target_url: targetOf(runtime),
    available_range: rangeOf(0, Math.max(lastShot, frames.mediaEnd(session.source.durationMs))),
    metadata: { studio: { contentId: session.source.contentId, ...(frames.reel !== null && { reel: frames.reel }) } },
  };
  const children = shots.map(({ from, to }, at) => ({
    OTIO_SCHEMA: 'Clip.2',
    name: `Shot ${at + 1}`,
    source_range: rangeOf(from, to),
    media_references: { DEFAULT_MEDIA: media },
    active_media_reference_key: 'DEFAULT_MEDIA',
    effects: [],
    markers: [],
    enabled: true,
    metadata: {},
  }));
  const track = { OTIO_SCHEMA: 'Track.1', name: 'Shots', kind: 'Video', children, metadata: {} };
  const tracks = { OTIO_SCHEMA: 'Stack.1', name: 'tracks', children: [track], metadata: {} };
  const metadata = {
    studio: {
      runtimeId,
      shotChanges: contentId,
      rate: { numerator, denominator },
      ...(frames.isUneven && { isUneven: true }),
    },
  };
  const timeline = { OTIO_SCHEMA: 'Timeline.1', name: label, tracks, metadata };
  return { text: `${canonicalJson(timeline)}\n`, madeOf };
}
