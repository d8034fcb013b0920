import { createHash } from 'node:crypto';
import { intactPathOf, mediaGone, mediaOf } from '../../actors/sources/source-files.ts';
import type { KeptParts, PartInput } from '../../actors/study/kept-windows.ts';
import { TimeSlices } from '../../actors/supervision/system-clock.ts';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Clock } from '../../contract/base/clock.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { EngineFailureCause } from '../../contract/causes/engine-cause.ts';
import type { EvidenceArtifact, UnavailableReason } from '../../contract/evidence/evidence.ts';
import type { HeardLanguage, KeptRegion, SemanticProducer } from '../../contract/recognition.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../../contract/study/plan.ts';
import type { RuntimeStart } from '../../contract/study/start.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { identityOver, joinParameters, notedOver, SAMPLE_CLOCK } from '../../executors/evidence/detection-identity.ts';
import { languagesOfTexts } from '../../executors/evidence/text-language.ts';
import type { Launcher } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import type { Recognizer, RegionSound } from '../../executors/recognition/recognizer.ts';
import { statedNumber } from '../../kinds/kind.ts';
import { audioTrackOf, countsSamples } from '../../rules/audio-track.ts';
import { baseLanguage } from '../../rules/languages.ts';
import {
  type PlacedTranscript,
  placedTranscript,
  REGION_RULE,
  type RecognizedRegion,
  SECOND_RUN_PARAMETERS,
  secondRegion,
  secondTexts,
  speechOf,
  speechRegions,
  unrecognizedParameters,
} from '../../rules/recognition.ts';
import { totalLengthOf } from '../../rules/time-spans.ts';
import { declaredLanguages, GATE_PARAMETERS, gatedLines } from '../../rules/transcript-gates.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { REGION_SOUND, regionSound } from './engine/region-sound.ts';
import { spokenIn } from './language-question.ts';
import type { RecognitionPace } from './pace.ts';
import { RegionAttempts, RegionUnrecognized } from './region-attempts.ts';

interface TranscriberOptions {
  readonly recognizer: Recognizer;
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly detector: Detector;
  /** The tool that identifies the language of a text. */
  readonly languageTool: ToolIdentity;
  readonly objectStore: ObjectStore;
  /** The recognized text of each region. */
  readonly regions: KeptParts<KeptRegion>;
  /** The language that was heard in each piece. */
  readonly languages: KeptParts<HeardLanguage | null>;
  /** True if each region is recognized a second time, and lines on which the runs differ are withheld. */
  readonly runsTwice: boolean;
  /** The times of the studies of this host; absent if it keeps none. */
  readonly pace?: Pick<RecognitionPace, 'noted'>;
}

/** The part of a start that a recognition follows. */
export type RecognizedStart = Pick<RuntimeStart, 'analysisRequest' | 'recognition'>;

interface TranscriptRequest {
  readonly source: RegisteredSource;
  readonly start: RecognizedStart;
  readonly speech: EvidenceArtifact;
  readonly silences: EvidenceArtifact;
  readonly signal: AbortSignal;
  /** Called with the thing that the recognizer waits for; null once it waits no more. */
  readonly waits: (reason: string | null) => void;
  /** Called whenever a region is kept, behind which a next host goes on. */
  readonly kept: () => void;
  /** Called with the ms of speech that are recognized, and the total, before each region that is not kept. */
  readonly recognized: (completedMs: number, totalMs: number) => void;
}

const BYTES_PER_SAMPLE = 2;

/** Has the detected speech of a study recognized, one region after the other, and judges the lines. */
export class Transcriber {
  readonly #options: TranscriberOptions;

  constructor(options: TranscriberOptions) {
    this.#options = options;
  }

  /** The recognizer of a study, with its tools and settings: known before it runs. */
  producer(source: RegisteredSource, start: RecognizedStart): SemanticProducer {
    const { recognizer, ffmpeg, languageTool } = this.#options;
    const parameters = joinParameters({ transcript: this.#parameters(source, start) });
    const tools = [...recognizer.tools, ffmpeg.identity, languageTool];
    const identity = identityOver(source.incompleteMedia, ['transcript'], { tools, parameters });
    return {
      id: 'studio.semantic-recognition',
      version: '1',
      engine: recognizer.engine,
      tools: [...identity.tools],
      parameters: identity.parameters,
    };
  }

  /**
   * A region that cannot be recognized is in the transcript with its cause. Rejects with the failure of the first if all are, with
   * `ProcessFailure` or `DetectionFailure`, and with a fault where the media is gone.
   */
  async transcribe(work: TranscriptRequest): Promise<EvidenceArtifact | UnavailableReason> {
    const { source, start, speech, silences, signal } = work;
    const { analysisRequest: request } = start;
    const { recognizer } = this.#options;
    const reasonCode = this.#refusal(start);
    if (reasonCode !== null) return reasonCode;
    const first = speechRegions(request.range, speech, silences);
    const again = this.#options.runsTwice ? first.map((region) => secondRegion(region, request.range)) : [];
    const firstMs = totalLengthOf(first);
    const totalMs = firstMs + totalLengthOf(again);
    const attempts = new RegionAttempts(this.#options.clock, recognizer.engine);
    const firstRun = await this.#recognized({ ...work, attempts }, first, null, (completedMs) =>
      work.recognized(completedMs, totalMs),
    );
    const secondRun = await this.#recognized({ ...work, attempts }, again, firstRun, (completedMs) =>
      work.recognized(firstMs + completedMs, totalMs),
    );
    // The gates compare two runs, so a region needs both.
    const placed = placedTranscript(firstRun.map((region, at) => asUnrecognized(region, secondRun[at]?.cause)));
    // A recognizer that finds no word in detected speech may be at fault: another study asks it again.
    if (first.length > 0 && placed.lines.length === 0)
      await this.#options.regions.forget(this.#regionInput(work), [...first, ...again]);
    const second = textsOfSecondRun(placed, secondRun);
    const texts = placed.lines.map(({ text }) => text);
    const codes = await languagesOfTexts(this.#options.detector, texts, signal);
    const lines = await new TimeSlices().run(
      gatedLines(
        placed.lines.map((line, at) => ({ ...line, identified: codes[at] ?? null, second: second[at] ?? null })),
        {
          speech: speechOf(speech),
          regions: placed.regions,
          languages: declaredLanguages(request),
          asked: askedLanguageOf(start),
          voiceConfidence: statedNumber(recognizer, 'voiceConfidence'),
        },
      ),
    );
    const artifact: EvidenceArtifact = {
      schema: 'studio.detected-evidence.v1',
      kind: 'transcript',
      input: {
        sourceContentId: request.sourceContentId,
        range: request.range,
        trackIndex: speech.input.trackIndex,
        derivedAudio: null,
      },
      tool: recognizer.tools[0],
      parameters: { ...this.#parameters(source, start), ...unrecognizedParameters(placed.regions) },
      facts: placed.regions.flatMap((region) => [
        region,
        ...lines.filter(({ regionIndex }) => regionIndex === region.index),
      ]),
    };
    return notedOver(source.incompleteMedia, artifact);
  }

  #parameters(source: RegisteredSource, start: RecognizedStart): EvidenceArtifact['parameters'] {
    const { recognizer } = this.#options;
    const { analysisRequest: request } = start;
    const { audioTrackIndex } = trackOf(source, request);
    const asked = askedLanguageOf(start);
    return {
      engine: recognizer.engine,
      ...recognizer.parameters,
      ...REGION_RULE,
      ...soundParameters(source),
      audioTrackIndex,
      declaredLanguages: declaredLanguages(request).join(','),
      // The parameters have the declared languages. Only a wish leads to another one.
      ...(asked === null || asked === languageOf(request) ? {} : { askedLanguage: asked }),
      conditionedOnEarlierText: false,
      ...GATE_PARAMETERS,
      ...(this.#options.runsTwice ? SECOND_RUN_PARAMETERS : {}),
    };
  }

  /**
   * The reason why a study gets no recognition; null if there is none. A recognizer of one language serves only studies that
   * wish it, or declare it alone. One of several serves those that wish or declare one of them, and those that declare none.
   */
  #refusal(start: RecognizedStart): UnavailableReason | null {
    const { languages } = this.#options.recognizer;
    if (languages === null) return null;
    const wished = wishedLanguageOf(start);
    const spoken = wished === null ? declaredLanguages(start.analysisRequest) : [wished];
    const isOne = (code: string) => languages.includes(code);
    const isServed =
      languages.length === 1 ? spoken.length > 0 && spoken.every(isOne) : spoken.length === 0 || spoken.some(isOne);
    return isServed ? null : 'language_not_recognised';
  }

  /** The input of the kept texts of regions, beside their ranges. */
  #regionInput({ source, start }: Pick<TranscriptRequest, 'source' | 'start'>): PartInput {
    const { analysisRequest: request } = start;
    const { recognizer, ffmpeg } = this.#options;
    return {
      sourceContentId: request.sourceContentId,
      tools: [...recognizer.tools, ffmpeg.identity],
      parameters: {
        ...recognizer.parameters,
        ...soundParameters(source),
        ...trackOf(source, request),
        language: askedLanguageOf(start),
      },
    };
  }

  /**
   * `recognized` gets the ms of the regions before each one that is not kept. Regions that an earlier run did not recognize are left
   * out. The first run also asks for their languages. Rejects with the failure of the first region if none was recognized.
   */
  async #recognized(
    work: AttemptedWork,
    regions: readonly Range[],
    before: readonly RecognizedRegion[] | null,
    recognized: (completedMs: number) => void,
  ): Promise<RecognizedRegion[]> {
    const { attempts } = work;
    const input = this.#regionInput(work);
    const done: RecognizedRegion[] = [];
    const failed: RegionUnrecognized[] = [];
    let doneMs = 0;
    const spent = { speechMs: 0, workMs: 0 };
    try {
      for (const [at, region] of regions.entries()) {
        work.signal.throwIfAborted();
        let taken: Promise<RegionSound> | null = null;
        const sound = (): Promise<RegionSound> => (taken ??= this.#soundOf(work, region));
        const timed = async <Result>(task: () => Promise<Result>): Promise<Result> => {
          const began = performance.now();
          const result = await task();
          spent.workMs += performance.now() - began;
          return result;
        };
        const recognize = async (): Promise<KeptRegion> => {
          const kept = await timed(async () => this.#recognize(work, await sound()));
          spent.speechMs += region.endMs - region.startMs;
          return kept;
        };
        const make = async (): Promise<KeptRegion> => {
          // Called here alone: a region that an earlier host kept takes no time, and would make the pace of the rest look fast.
          recognized(doneMs);
          return attempts.of(recognize, work.signal);
        };
        const known = before?.[at];
        if (known?.cause !== undefined) done.push(known);
        else {
          const found = await this.#attempted(input, region, { make, kept: work.kept, signal: work.signal }, failed);
          const spoken = before === null ? await timed(() => this.#spoken(work, found, sound)) : undefined;
          done.push(spoken === undefined ? found : { ...found, spoken });
        }
        doneMs += region.endMs - region.startMs;
      }
      const [first] = failed;
      if (first !== undefined && done.every(({ cause }) => cause !== undefined)) throw first.cause;
      return done;
    } finally {
      // A study whose time was up says most of how long the next one takes. What cannot be noted is learnt from another one.
      await this.#options.pace?.noted(spent.speechMs, spent.workMs).catch(() => undefined);
    }
  }

  /** A region as it is kept or recognized, or with the cause why not, which `failed` gets too. */
  async #attempted(
    input: PartInput,
    region: Range,
    part: Parameters<KeptParts<KeptRegion>['of']>[2],
    failed: RegionUnrecognized[],
  ): Promise<RecognizedRegion> {
    try {
      return { ...region, ...(await this.#options.regions.of(input, region, part)) };
    } catch (error) {
      if (!(error instanceof RegionUnrecognized)) throw error;
      failed.push(error);
      return asUnrecognized({ ...region, ...emptyRegion }, error.failure);
    }
  }

  /** The language that the recognizer hears in a region with lines. */
  #spoken(work: TranscriptRequest, found: RecognizedRegion, sound: () => Promise<RegionSound>) {
    const { recognizer, languages } = this.#options;
    const input = this.#regionInput(work);
    const { raw, startMs, endMs } = found;
    const { kept, signal } = work;
    const piece = { startMs, endMs };
    return spokenIn(languages, recognizer, input, {
      piece,
      raw,
      asked: askedLanguageOf(work.start),
      sound,
      kept,
      signal,
    });
  }

  async #soundOf({ source, start, signal }: TranscriptRequest, region: Range): Promise<RegionSound> {
    const { objectStore } = this.#options;
    const path = await intactPathOf(objectStore, mediaOf(source));
    const { audioTrackIndex } = trackOf(source, start.analysisRequest);
    if (audioTrackIndex === null) throw mediaGone;
    const sound = { path, audioTrackIndex, countsSamples: countsSamples(source), region, signal };
    return { samples: await regionSound(this.#options, sound), language: askedLanguageOf(start) };
  }

  async #recognize({ signal, waits }: TranscriptRequest, sound: RegionSound): Promise<KeptRegion> {
    const { samples } = sound;
    const contentId = `sha256:${createHash('sha256').update(samples).digest('hex')}`;
    const heard = { samples: samples.length / BYTES_PER_SAMPLE, contentId };
    return { heard, raw: await this.#options.recognizer.recognize(sound, signal, waits) };
  }
}

/** How the sound of regions is taken out of a source. */
const soundParameters = (source: RegisteredSource) => ({
  ...REGION_SOUND,
  ...(countsSamples(source) ? { clock: SAMPLE_CLOCK } : {}),
});

/** A study whose regions are recognized in a few attempts each. */
interface AttemptedWork extends TranscriptRequest {
  readonly attempts: RegionAttempts;
}

/** A region of which nothing was recognized: no sample gave a text. */
const emptyRegion: KeptRegion = {
  heard: { samples: 0, contentId: `sha256:${createHash('sha256').digest('hex')}` },
  raw: { language: null, lines: [] },
};

const asUnrecognized = (region: RecognizedRegion, cause: EngineFailureCause | undefined): RecognizedRegion =>
  cause === undefined ? region : { ...region, ...emptyRegion, cause };

/** The text of a second run for each line, in the order of the lines; undefined if there was only one run. */
function textsOfSecondRun({ regions, lines }: PlacedTranscript, again: readonly RecognizedRegion[]): (string | null)[] {
  if (again.length === 0) return [];
  return regions.flatMap(({ index }) =>
    secondTexts(
      lines.filter(({ regionIndex }) => regionIndex === index).map(({ text }) => text),
      placedTranscript(again.slice(index, index + 1)).lines.map(({ text }) => text),
    ),
  );
}

const trackOf = (source: RegisteredSource, { language }: AnalysisRequest): { audioTrackIndex: number | null } => ({
  audioTrackIndex: audioTrackOf(source, language.languagePair.requestedSource)?.index ?? null,
});

/** The base code of the language that a start wishes to have recognized; null if it names none. */
const wishedLanguageOf = ({ recognition }: RecognizedStart): string | null => {
  const tag = recognition?.language ?? null;
  return tag === null ? null : baseLanguage(tag);
};

/** The language for a recognizer: the wished one, else the declared one; null if there is neither. */
const askedLanguageOf = (start: RecognizedStart): string | null =>
  wishedLanguageOf(start) ?? languageOf(start.analysisRequest);

/** The one declared language; null if several or none are declared. */
function languageOf(request: AnalysisRequest): string | null {
  const [language, ...others] = declaredLanguages(request);
  return others.length > 0 ? null : (language ?? null);
}
