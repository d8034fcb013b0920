import type { EditRate } from '../../contract/exports.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { shotsOf } from './exported-facts.ts';
import type { ExportedFile } from './exported-file.ts';
import { frameCode, frameCountOf, framesOf } from './frame-code.ts';

/** One line, as edit lists have it. */
const lineOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/**
 * The shots of the studied range as a CMX3600 edit decision list, one event each, in the order of the media. A shot in which no
 * frame of this rate begins has none: an event without length is no edit.
 */
export function editDecisionList(runtime: VerifiedRuntime, editRate: EditRate): ExportedFile {
  const { shots, contentId } = shotsOf(runtime);
  const { label } = runtime.source.registered;
  const count = frameCountOf(editRate);
  const framesAt = (ms: number): number => framesOf(ms, count);
  const first = framesAt(shots[0]?.startMs ?? 0);
  const spans = shots.map(({ startMs, endMs }) => ({ from: framesAt(startMs), to: framesAt(endMs) }));
  const shown = spans.filter(({ from, to }) => from < to);
  const events = shown.flatMap(({ from, to }, at) => {
    const codes = [from, to, from - first, to - first].map((frames) => frameCode(frames, count)).join(' ');
    return [
      `${String(at + 1).padStart(3, '0')}  AX       V     C        ${codes}`,
      `* FROM CLIP NAME: ${lineOf(label)}`,
    ];
  });
  const head = [
    `TITLE: ${lineOf(label)}`,
    count.dropped === 0 ? 'FCM: NON-DROP FRAME' : 'FCM: DROP FRAME',
    `* ${editRate} FRAMES A SECOND`,
    `* SHOT CHANGES ${contentId}`,
  ];
  return { text: `${[...head, ...events].join('\n')}\n`, madeOf: [contentId] };
}

/** A time of OpenTimelineIO in milliseconds: exact, whatever the rate of the pictures is. */
const rationalTime = (ms: number) => ({ OTIO_SCHEMA: 'RationalTime.1', rate: 1000, value: ms });

const timeRange = (startMs: number, endMs: number) => ({
  OTIO_SCHEMA: 'TimeRange.1',
  start_time: rationalTime(startMs),
  duration: rationalTime(endMs - startMs),
});

/** The shots of the studied range as a timeline of OpenTimelineIO: one track with one clip a shot. */
export function openTimeline(runtime: VerifiedRuntime): ExportedFile {
  const { shots, contentId } = shotsOf(runtime);
  const { label, session } = runtime.source.registered;
  const { runtimeId } = runtime.accepted.record;
  const media = {
    OTIO_SCHEMA: 'MissingReference.1',
    name: label,
    available_range: timeRange(0, session.source.durationMs),
    metadata: { studio: { contentId: session.source.contentId } },
  };
  const children = shots.map(({ startMs, endMs }, at) => ({
    OTIO_SCHEMA: 'Clip.2',
    name: `Shot ${at + 1}`,
    source_range: timeRange(startMs, endMs),
    media_references: { DEFAULT_MEDIA: media },
    active_media_reference_key: 'DEFAULT_MEDIA',
    effects: [],
    markers: [],
    enabled: true,
    metadata: {},
  }));
  const track = { OTIO_SCHEMA: 'Track.1', name: 'Shots', kind: 'Video', children, metadata: {} };
  const tracks = { OTIO_SCHEMA: 'Stack.1', name: 'tracks', children: [track], metadata: {} };
  const metadata = { studio: { runtimeId, shotChanges: contentId } };
  const timeline = { OTIO_SCHEMA: 'Timeline.1', name: label, tracks, metadata };
  return { text: `${canonicalJson(timeline)}\n`, madeOf: [contentId] };
}
