import { intactPathOf, mediaOf } from '../../actors/sources/source-files.ts';
import { GrantedSteps, type GrantedStepsOptions, type GrantedStudyStep } from '../../actors/study/granted-steps.ts';
import type { KeptParts } from '../../actors/study/kept-windows.ts';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact, FurtherArtifact, UnavailableReason } from '../../contract/evidence/evidence.ts';
import {
  type KeptScreenText,
  keptScreenText,
  type ReadPicture,
  type ScreenTextProducer,
} from '../../contract/screentext.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../../contract/study/plan.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { identityOver, joinParameters, notedOver } from '../../executors/evidence/detection-identity.ts';
import { languagesOfTexts } from '../../executors/evidence/text-language.ts';
import type { Launcher } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import { TIMES_FROM } from '../../executors/sources/media-input.ts';
import { videoTrackOf } from '../../receipts/evidence/delivered.ts';
import { furtherShape } from '../../receipts/stages/detect.ts';
import { screenReading } from '../../receipts/stages/screen.ts';
import { readStoredReceipt } from '../../receipts/stored-records.ts';
import { countedFromTracks } from '../../rules/audio-track.ts';
import {
  CLUTTER_PARAMETERS,
  clearMilliOf,
  isClutter,
  judgedText,
  keptTexts,
  languagesReadBy,
  SEEN_TEXT_PARAMETERS,
  seenTexts,
  TEXT_GATE_PARAMETERS,
} from '../../rules/screentext.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { CHANGE_RULE, differs, isNoise, NOISE_RULE } from './engine/gray-picture.ts';
import { keyframesIn, SAMPLE_RULE, type SampledPicture, sampledPictures } from './engine/sampled-pictures.ts';
import type { OpenReader, ScreenTextReader } from './engine/tesseract.ts';
import { UnreadablePicture } from './engine/tesseract-connection.ts';

/**
 * Behind clutter no picture is read for so long, unless it is a keyframe. Behind so many such pictures none of the window is
 * read: each would take the engine seconds, for nothing.
 */
const CLUTTER_REST = { restMs: 10_000, most: 2 } as const;

/**
 * Reads the pictures of one window that are not those before them, and neither noise nor shortly behind clutter. `keyframesMs` are
 * the moments of keyframes. A picture that the engine cannot read is skipped and marked; rejects as the reader does for all else.
 */
export async function readWindow(
  reader: Pick<OpenReader, 'read'>,
  pictures: readonly SampledPicture[],
  keyframesMs: ReadonlySet<number>,
): Promise<ReadPicture[]> {
  const found: ReadPicture[] = [];
  let before: SampledPicture | null = null;
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  let cluttered = 0;
  for (const picture of pictures) {
    const last = found.at(-1);
    if (before !== null && last !== undefined && !differs(before, picture)) {
      found[found.length - 1] = { ...last, untilMs: picture.atMs };
      continue;
    }
    before = picture;
    const at = { atMs: picture.atMs, untilMs: picture.atMs };
    const rests = picture.atMs < restsUntilMs && !keyframesMs.has(picture.atMs);
    if (rests || cluttered === CLUTTER_REST.most || isNoise(picture)) {
      found.push({ ...at, clearMilli: 0, texts: [] });
      continue;
    }
    const texts = await reader.read(picture.pgm).catch((error: unknown) => {
      if (error instanceof UnreadablePicture) return null;
      throw error;
    });
    if (texts === null) {
      found.push({ ...at, clearMilli: 0, texts: [], unread: true });
      continue;
    }
    if (isClutter(texts)) {
      restsUntilMs = picture.atMs + CLUTTER_REST.restMs;
      cluttered += 1;
    }
    found.push({ ...at, clearMilli: clearMilliOf(texts), texts: keptTexts(texts).slice(0, 1024) });
  }
  return found;
}

interface ScreenTextsOptions {
  readonly reader: ScreenTextReader;
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly detector: Detector;
  /** The tool that identifies the language of a text. */
  readonly languageTool: ToolIdentity;
  readonly objectStore: ObjectStore;
  /** The texts in each window of a range. */
  readonly windows: KeptParts<ReadPicture[]>;
}

export interface ScreenTextWork {
  readonly source: RegisteredSource;
  readonly request: AnalysisRequest;
  /** The keyframes of the study; null if it has none. */
  readonly keyframes: FurtherArtifact | null;
  readonly signal: AbortSignal;
  /** Called with the read part of the range, in ms, before each window that is not kept. */
  readonly read: (mediaMs: number) => void;
  /** Called whenever a window is kept, behind which a next host goes on. */
  readonly kept: () => void;
}

/** Pictures of a window are in memory at once: at most some dozen, of less than a megabyte each. */
const WINDOW_MS = 20_000;

/** Has the text on the screen of a study read, one window after the other, and judges what comes back. */
export class ScreenTexts {
  readonly #options: ScreenTextsOptions;

  constructor(options: ScreenTextsOptions) {
    this.#options = options;
  }

  /** The reader of a study, with its tools and settings: known before it runs. */
  producer(source: RegisteredSource): ScreenTextProducer {
    const { reader, ffmpeg, languageTool } = this.#options;
    const parameters = joinParameters({ screen_text: this.#parameters(source) });
    const tools = [...reader.tools, ffmpeg.identity, languageTool];
    const identity = identityOver(source.incompleteMedia, ['screen_text'], { tools, parameters });
    return {
      id: 'studio.screen-text',
      version: '2',
      engine: reader.engine,
      tools: [...identity.tools],
      parameters: identity.parameters,
    };
  }

  /** Rejects with `ProcessFailure` or `DetectionFailure`, and with a fault where the media is gone. */
  async find(work: ScreenTextWork): Promise<FurtherArtifact | UnavailableReason> {
    const { source, request } = work;
    const videoTrackIndex = videoTrackOf(source);
    if (videoTrackIndex === null) return 'no_video_track';
    const pictures = await this.#read(work, videoTrackIndex);
    if (pictures.length === 0) return 'no_frames_in_range';
    const seen = seenTexts(pictures);
    const texts = seen.map(({ text }) => text);
    const codes = await languagesOfTexts(this.#options.detector, texts, work.signal);
    const languages = languagesReadBy(this.#options.reader.parameters);
    const artifact: FurtherArtifact = {
      schema: 'studio.further-evidence.v1',
      kind: 'screen_text',
      input: { sourceContentId: request.sourceContentId, range: request.range, trackIndex: videoTrackIndex },
      tool: this.#options.reader.tools[0],
      parameters: { ...this.#parameters(source), ...unreadIn(pictures) },
      facts: seen.map((text, at) => judgedText({ ...text, language: codes[at] ?? null }, languages)),
    };
    return notedOver(source.incompleteMedia, artifact);
  }

  #parameters(source: RegisteredSource): EvidenceArtifact['parameters'] {
    const { reader } = this.#options;
    return {
      engine: reader.engine,
      ...reader.parameters,
      ...(countedFromTracks(source, 1) ? { timesFrom: TIMES_FROM } : {}),
      sampledEveryMs: SAMPLE_RULE.everyMs,
      keyframesApartMs: SAMPLE_RULE.keyframesApartMs,
      longestSide: SAMPLE_RULE.longestSide,
      windowMs: WINDOW_MS,
      changedBlock: CHANGE_RULE.block,
      changedFromMeanSteps: CHANGE_RULE.meanSteps,
      noiseSteps: NOISE_RULE.steps,
      noiseShare: NOISE_RULE.share,
      clutterRestMs: CLUTTER_REST.restMs,
      mostClutterInWindow: CLUTTER_REST.most,
      videoTrackIndex: videoTrackOf(source),
      ...CLUTTER_PARAMETERS,
      ...SEEN_TEXT_PARAMETERS,
      ...TEXT_GATE_PARAMETERS,
    };
  }

  async #read(work: ScreenTextWork, videoTrackIndex: number): Promise<ReadPicture[]> {
    const { source, request, keyframes, signal } = work;
    const { reader, ffmpeg, windows, objectStore } = this.#options;
    const moments = (keyframes?.facts ?? []).flatMap((fact) => (fact.kind === 'keyframe' ? [fact.atMs] : []));
    const found: ReadPicture[] = [];
    // It is opened with the first window that was not read before.
    let open: OpenReader | null = null;
    try {
      for (const window of windowsOf(request.range)) {
        signal.throwIfAborted();
        const keyframesMs = keyframesIn(window, moments);
        const input = {
          sourceContentId: request.sourceContentId,
          tools: [...reader.tools, ffmpeg.identity],
          parameters: { ...this.#parameters(source), keyframesMs: keyframesMs.join(',') },
        };
        const make = async () => {
          // Called here alone: a window that an earlier host kept takes no time, and would make the pace of the rest look fast.
          work.read(window.startMs - request.range.startMs);
          open ??= await reader.open(signal);
          const path = await intactPathOf(objectStore, mediaOf(source));
          const sampled = await sampledPictures(this.#options, { path, videoTrackIndex, window, keyframesMs, signal });
          return readWindow(open, sampled, new Set(keyframesMs));
        };
        const pictures = await windows.of(input, window, { make, kept: work.kept, signal });
        found.push(...pictures);
      }
    } finally {
      await closed(open);
    }
    return found;
  }
}

/** True if the engine could read every picture of a window. */
export const isReadWhole = (pictures: readonly ReadPicture[]): boolean => !pictures.some(({ unread }) => unread);

/** The moments of pictures that the engine could not read, named beside the facts; nothing if it read all of them. */
function unreadIn(pictures: readonly ReadPicture[]): EvidenceArtifact['parameters'] {
  const moments = pictures.filter(({ unread }) => unread).map(({ atMs }) => atMs);
  return moments.length === 0 ? {} : { unreadPicturesMs: moments.join(',') };
}

const closed = async (open: OpenReader | null): Promise<void> => open?.close();

/** The windows of a range: its first ends at a multiple of their length, so that studies of one source share them. */
function windowsOf({ startMs, endMs }: Range): Range[] {
  const windows: Range[] = [];
  for (let from = startMs; from < endMs; ) {
    const to = Math.min(endMs, (Math.floor(from / WINDOW_MS) + 1) * WINDOW_MS);
    windows.push({ startMs: from, endMs: to });
    from = to;
  }
  return windows;
}

interface ScreenTextStepsOptions extends GrantedStepsOptions {
  /** Null on a host without a reader. */
  readonly screenTexts: ScreenTexts | null;
}

/** The step that has the text on the screen of a study read. A reader that fails leaves the study without it. */
export const screenTextSteps = (options: ScreenTextStepsOptions): GrantedStudyStep => {
  const { content, screenTexts, board, moved } = options;
  return new GrantedSteps(options, {
    operation: screenReading,
    isOffered: () => screenTexts !== null,
    producer: (_, source) => screenTexts?.producer(source) ?? null,
    changed: 'who reads the screen on the host, or how it is set, changed after the reading had begun',
    keptIn: (row) => keptScreenText.safeParse(row).data?.screenText ?? null,
    // The engine may be able to read its pictures another time.
    isWhole: ({ parameters }) => parameters.unreadPicturesMs === undefined,
    rowOf: (screenText, { record }) =>
      ({ sourceContentId: record.analysisRequest.sourceContentId, screenText }) satisfies KeptScreenText,
    find: async ({ record }, source, { from: [named] }, signal) => {
      if (screenTexts === null) throw new RangeError('this host has no reader of the screen');
      const { runtimeId, analysisRequest: request } = record;
      const keyframes =
        named === undefined ? null : (await readStoredReceipt(furtherShape, content(), named.contentId)).body;
      const total = request.range.endMs - request.range.startMs;
      return screenTexts.find({
        source,
        request,
        keyframes,
        signal,
        kept: () => moved(runtimeId),
        read: (completed) => board.note(runtimeId, { stage: 'readScreen', completed, total, unit: 'milliseconds' }),
      });
    },
  });
};
