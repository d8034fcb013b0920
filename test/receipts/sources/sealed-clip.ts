import type { ProbeResult } from '../../../contract/sources/media-probe.ts';
import { indentedFile } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import {
  type OwnedIngest,
  type PinnedFiles,
  type SealedSource,
  sealOwnedIngest,
  sealVideohostIngest,
  sealWithSubtitles,
  type VideohostIngest,
} from '../../../receipts/sources/seal-source.ts';
import { contentRefOf, sealedPaths } from '../../../receipts/sources/sealed-record.ts';
import { localProcessingGrant } from '../../../receipts/sources/source-receipt.ts';
import type { RecordKind, SealedChain } from '../../../receipts/sources/verify-source.ts';

export const mediaBytes = Buffer.from('four seconds of video with one spoken line');
const media = contentRefOf(mediaBytes);
const tool = (name: string, digit: string) => ({ name, version: '1', digest: `sha256:${digit.repeat(64)}` });

type Probed = ProbeResult['tracks'][number];
const track = (
  index: number,
  type: Probed['type'],
  codec: string,
  durationMs: number | null,
  language: string | null = null,
): Probed => ({ index, type, codec, durationMs, language, isCoverArt: false });

const probe: ProbeResult = {
  durationMs: 4000,
  durationSeconds: 4,
  containerNames: ['mov', 'mp4'],
  containerLongName: 'QuickTime / MOV',
  bitRate: 84,
  tracks: [
    { ...track(0, 'video', 'h264', 4000), width: 64, height: 48 },
    { ...track(1, 'audio', 'aac', 3990, 'ko'), sampleRate: 44100, channels: 2 },
    track(2, 'subtitle', 'mov_text', null, 'ko'),
    { ...track(3, 'video', 'mjpeg', null), width: 9, height: 9, isCoverArt: true },
  ],
};

const audioContentId = `sha256:${'a'.repeat(64)}`;
const run = { tools: [tool('ffmpeg', '1')], models: [tool('silero-vad', '2')] };

/** Speech from 1 to 3 seconds of the clip. */
const speechBytes = indentedFile({
  schema: 'studio.speech-activity.v1',
  producer: 'studio.speech-detector',
  run,
  input: {
    source_content_id: media.contentId,
    track_index: 1,
    audio_content_id: audioContentId,
    audio_samples: 64000,
  },
  normalization: { sample_rate: 16000, channels: 1, encoding: 's16le' },
  configuration: { onThreshold: 0.5 },
  frames: { samples_per_frame: 512, count: 125 },
  speech_windows: [{ index: 0, start_sample: 16000, end_sample: 48000 }],
  non_speech_windows: [
    { index: 0, start_sample: 0, end_sample: 16000 },
    { index: 1, start_sample: 48000, end_sample: 64000 },
  ],
});

const decision = { token_id: 5, probability: 0.9, margin: 0.8 };

/** Korean for the first second of speech, then too little to tell. */
const languageBytes = indentedFile({
  schema: 'studio.language-ranges.v1',
  producer: 'studio.language-detector',
  run: { tools: [], models: [tool('language-model', '3')] },
  input: {
    source_content_id: media.contentId,
    speech_activity_content_id: contentRefOf(speechBytes).contentId,
    audio_content_id: audioContentId,
  },
  configuration: {},
  languages: ['ko', 'en'],
  ranges: [
    {
      speech_window_index: 0,
      chunk_index: 0,
      start_sample: 16000,
      end_sample: 32000,
      scores: [{ code: 'ko', probability: 0.9 }],
      decision: { status: 'classified', code: 'ko', ...decision, reason: null },
    },
    {
      speech_window_index: 0,
      chunk_index: 1,
      start_sample: 32000,
      end_sample: 48000,
      scores: [],
      decision: { status: 'unknown', code: null, ...decision, reason: 'below_margin' },
    },
  ],
});

export const pinnedFiles = { speechActivity: speechBytes, languageRanges: languageBytes } satisfies PinnedFiles;

/** The owner's statements about the clip, and the measurements of the probe. */
export const clipIngest: OwnedIngest = {
  media,
  probe,
  tools: [tool('ffprobe', '4'), tool('ffmpeg', '1')],
  claim: {
    label: 'A clip',
    filename: 'clip.mp4',
    rightsHolder: 'Its owner',
    assertedAt: '2026-01-02T03:04:05.678Z',
    grant: localProcessingGrant,
  },
  pinned: null,
};

/** The tracks of the clip, with these text tracks instead of its own. */
const tracksWith = (texts: ProbeResult['tracks'] | null): ProbeResult['tracks'] =>
  texts === null
    ? probe.tracks
    : [...probe.tracks.filter(({ type }) => type !== 'subtitle'), ...texts].sort(
        (one, other) => one.index - other.index,
      );

/** The clip sealed as preflight v1, v2 or v3. By default it lasts four seconds and has its own text track and bytes. */
export const sealedClip = (
  version: 1 | 2 | 3,
  texts: ProbeResult['tracks'] | null = null,
  durationMs = probe.durationMs,
  bytes: Uint8Array = mediaBytes,
): SealedSource =>
  sealOwnedIngest({
    ...clipIngest,
    media: contentRefOf(bytes),
    probe: { ...probe, durationMs, durationSeconds: durationMs / 1000, tracks: tracksWith(texts) },
    pinned: version === 1 ? null : { ...pinnedFiles, languageRanges: version === 2 ? null : languageBytes },
  });

/** The same source with these subtitle files. */
export const withSubtitles = (...args: Parameters<typeof sealWithSubtitles>): SealedSource =>
  resultOfSteps(sealWithSubtitles(...args));

/** The same four seconds, as a range of a video on a host. */
export const videoIngest: VideohostIngest = {
  media,
  probe,
  tools: clipIngest.tools,
  claim: {
    requestedUrl: 'https://youtu.be/abcdefghijk?t=9',
    resolved: {
      externalId: 'abcdefghijk',
      canonicalUrl: 'https://www.youtube.com/watch?v=abcdefghijk',
      title: 'A walk by the sea',
      creator: 'Who walked',
      durationMs: 60_000,
      durationSource: 'metadata',
      extractor: 'youtube',
      formats: [
        { formatId: '137', language: null, width: 1920, height: 1080 },
        { formatId: '140', language: 'ko', width: null, height: null },
      ],
    },
    tool: tool('yt-dlp', '5'),
    resolvedAt: '2026-01-02T03:04:06.000Z',
    range: { startMs: 9000, endMs: 13_000 },
    confirmedAt: '2026-01-02T03:04:05.678Z',
    downloadTools: [tool('yt-dlp', '5'), tool('ffmpeg', '1')],
  },
  pinned: null,
};

export const sealedVideo = (): SealedSource => sealVideohostIngest(videoIngest);

/** The files of a sealed clip as `verifySource` takes them. */
export function chainOf({ objects }: SealedSource): SealedChain {
  const bytesAt = (name: string) => objects.find(({ path }) => path === name)?.bytes;
  const named = {
    'container-probe': bytesAt(sealedPaths.mediaProbe),
    'source-receipt': bytesAt(sealedPaths.sourceReceipt),
    'speech-activity': bytesAt(sealedPaths.speechActivity),
    'language-ranges': bytesAt(sealedPaths.languageRanges),
    resolution: bytesAt(sealedPaths.resolution),
  };
  const preflight = objects.find(({ path }) => path.startsWith('preflight.'))?.bytes;
  if (preflight === undefined) throw new Error('a sealed source has a preflight');
  return { media, preflight, records: Object.fromEntries(Object.entries(named).filter(([, bytes]) => bytes)) };
}

export const recordOf = (bytes: Uint8Array | undefined): unknown =>
  JSON.parse(Buffer.from(bytes ?? []).toString('utf8'));

/** A copy of a JSON value with the value at a dotted path replaced, or its key removed if `value` is undefined. */
export function edited(json: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(json);
  const names = path.split('.');
  const last = names.pop() ?? '';
  const target = names.reduce((inner, name) => Reflect.get(Object(inner), name), copy);
  Reflect.set(Object(target), last, value);
  return copy;
}

/** The chain with one record replaced, and nothing else. */
export const withRecord = (chain: SealedChain, kind: RecordKind | 'preflight', record: unknown): SealedChain => {
  const bytes = Buffer.from(`${JSON.stringify(record, null, 2)}\n`);
  if (kind === 'preflight') return { ...chain, preflight: bytes };
  return { ...chain, records: { ...chain.records, [kind]: bytes } };
};

/** In the order in which they name each other. */
export const recordKinds = ['container-probe', 'source-receipt', 'speech-activity', 'language-ranges'] as const;

const namingOrder = ['resolution', ...recordKinds] as const;

/** Imitates a forger: replaces one record, and its digest and length everywhere. */
export function forged(chain: SealedChain, kind: RecordKind, record: unknown): SealedChain {
  const renamed: [string, string][] = [];
  const rename = (text: string) => renamed.reduce((renaming, [old, fresh]) => renaming.replaceAll(old, fresh), text);
  const records: Partial<Record<RecordKind, Uint8Array>> = {};
  let preflight = Buffer.from(chain.preflight).toString('utf8');
  for (const each of namingOrder) {
    const old = chain.records[each];
    if (old === undefined) continue;
    const fresh = Buffer.from(
      each === kind ? `${JSON.stringify(record, null, 2)}\n` : rename(Buffer.from(old).toString('utf8')),
    );
    records[each] = fresh;
    renamed.push([digest(old), digest(fresh)]);
    preflight = preflight.replaceAll(
      new RegExp(`(${digest(old)}"\\s*\\},\\s*"bytes": )\\d+`, 'g'),
      (_, before: string) => `${before}${fresh.length}`,
    );
  }
  return { ...chain, preflight: Buffer.from(rename(preflight)), records };
}

const digest = (bytes: Uint8Array): string => contentRefOf(bytes).contentId.slice('sha256:'.length);
