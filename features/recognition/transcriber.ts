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
import { START_RULE } from '../../rules/line-starts.ts';
import {
  type PlacedTranscript,
  placedTranscript,
  REGION_RULE,
  type RecognizedWindow,
  SECOND_RUN_PARAMETERS,
  secondRegion,
  secondTexts,
  speechOf,
  speechRegions,
  unrecognizedParameters,
} from '../../rules/recognition.ts';
import {
  isWithoutWordTimes,
  type RecognitionWindow,
  WINDOW_RULE,
  windowAlone,
  windowsOf,
} from '../../rules/recognition-windows.ts';
import { totalLengthOf } from '../../rules/time-spans.ts';
import { declaredLanguages, GATE_PARAMETERS, gatedLines } from '../../rules/transcript-gates.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { REGION_SOUND, regionSound } from './engine/region-sound.ts';
import { languagesHeardIn } from './language-question.ts';
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
  /** The recognized text of each window. */
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
  /** Called whenever a window is kept, behind which a next host goes on. */
  readonly kept: () => void;
  /** Called with the ms of windows that are recognized, and the total, before each window that is not kept. */
  readonly recognized: (completedMs: number, totalMs: number) => void;
}

const BYTES_PER_SAMPLE = 2;

/** Has the detected speech of a study recognized, one window after the other, and judges the lines. */
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
   * The regions of a window that cannot be recognized are in the transcript with its cause. Rejects with the failure of the first if all are, with
   * `ProcessFailure` or `DetectionFailure`, and with a fault where the media is gone.
   */
  async transcribe(work: TranscriptRequest): Promise<EvidenceArtifact | UnavailableReason> {
    const { source, start, speech, silences, signal } = work;
    const { analysisRequest: request } = start;
    const { recognizer } = this.#options;
    const reasonCode = this.#refusal(start);
    if (reasonCode !== null) return reasonCode;
    const regions = speechRegions(request.range, speech, silences);
    const first = recognizer.wordTimes === 'none' ? regions.map(windowAlone) : windowsOf(regions, WINDOW_RULE);
    const firstMs = totalLengthOf(first);
    const totalMs = (this.#options.runsTwice ? 2 : 1) * firstMs;
    const attempts = new RegionAttempts(this.#options.clock, recognizer.engine);
    const firstRun = await this.#recognized({ ...work, attempts }, first, [], (completedMs) =>
      work.recognized(completedMs, totalMs),
    );
    const again = this.#options.runsTwice ? firstRun.map((window) => secondWindow(window, request.range)) : [];
    const secondRun = await this.#recognized({ ...work, attempts }, again, firstRun, (completedMs) =>
      work.recognized(firstMs + completedMs, totalMs),
    );
    // The gates compare two runs, so a window needs both.
    const placed = placedTranscript(
      firstRun.map((window, at) => asUnrecognized(window, secondRun[at]?.cause)),
      speechOf(speech),
    );
    // A recognizer that finds no word in detected speech may be at fault: another study asks it again.
    if (first.length > 0 && placed.lines.length === 0)
      await this.#options.regions.forget(this.#regionInput(work), [...first, ...firstRun, ...again].map(rangeOf));
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
      // A line may begin before the region that holds most of it.
      facts: [...placed.regions, ...lines].toSorted((one, other) => one.startMs - other.startMs),
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
      ...windowParameters(recognizer),
      ...START_RULE,
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

  /** The input of the kept texts of windows, beside their ranges. */
  #regionInput({ source, start }: Pick<TranscriptRequest, 'source' | 'start'>): PartInput {
    const { analysisRequest: request } = start;
    const { recognizer, ffmpeg } = this.#options;
    return {
      sourceContentId: request.sourceContentId,
      tools: [...recognizer.tools, ffmpeg.identity],
      parameters: {
        ...recognizer.parameters,
        ...windowParameters(recognizer),
        ...soundParameters(source),
        ...trackOf(source, request),
        language: askedLanguageOf(start),
      },
    };
  }

  /**
   * `recognized` gets the ms of the windows before each one that is not kept. Windows that an earlier run did not recognize are left
   * out. The first run also asks for their languages. Rejects with the failure of the first window if none was recognized.
   */
  async #recognized(
    work: AttemptedWork,
    windows: readonly RecognitionWindow[],
    before: readonly RecognizedWindow[],
    recognized: (completedMs: number) => void,
  ): Promise<RecognizedWindow[]> {
    const { attempts } = work;
    const input = this.#regionInput(work);
    const done: RecognizedWindow[] = [];
    const failed: RegionUnrecognized[] = [];
    let doneMs = 0;
    const spent = { speechMs: 0, workMs: 0 };
    const timed = async <Result>(task: () => Promise<Result>): Promise<Result> => {
      const began = performance.now();
      const result = await task();
      spent.workMs += performance.now() - began;
      return result;
    };
    // The question for the language of a window hears the same samples.
    let taken: { readonly of: Range; readonly sound: Promise<RegionSound> } | null = null;
    const soundOf = ({ startMs, endMs }: Range): Promise<RegionSound> => {
      if (taken?.of.startMs !== startMs || taken.of.endMs !== endMs) {
        taken = { of: { startMs, endMs }, sound: this.#soundOf(work, { startMs, endMs }) };
      }
      return taken.sound;
    };
    const asked = async (window: RecognizedWindow): Promise<RecognizedWindow> => {
      const { recognizer, languages } = this.#options;
      const { kept, signal } = work;
      const question = { recognizer, input, asked: askedLanguageOf(work.start), sound: soundOf, kept, signal };
      const spoken = await timed(() => languagesHeardIn(languages, question, window));
      return spoken === undefined ? window : { ...window, spoken };
    };
    const recognizedOne = (window: RecognitionWindow, beforeMs = doneMs): Promise<RecognizedWindow> => {
      const recognize = async (): Promise<KeptRegion> => {
        const kept = await timed(async () => this.#recognize(work, await soundOf(window)));
        spent.speechMs += window.endMs - window.startMs;
        return kept;
      };
      const make = async (): Promise<KeptRegion> => {
        // Called here alone: a window that an earlier host kept takes no time, and would make the pace of the rest look fast.
        recognized(beforeMs);
        return attempts.of(recognize, work.signal);
      };
      return this.#attempted(input, window, { make, kept: work.kept, signal: work.signal }, failed);
    };
    // Windows of a second run are compared as they are.
    const isSecond = before.length > 0;
    let wordTimes = isSecond ? 'given' : this.#options.recognizer.wordTimes;
    /** The regions of a window, each alone, as long as nothing says that words have times; null once it is said. */
    const recognizedAlone = async ({ startMs, regions }: RecognitionWindow): Promise<RecognizedWindow[] | null> => {
      const alone: RecognizedWindow[] = [];
      for (const region of regions) {
        const one = await recognizedOne(windowAlone(region), doneMs + region.startMs - startMs);
        alone.push(one);
        if (wordTimes === 'unknown' && one.raw.lines.length > 0)
          wordTimes = isWithoutWordTimes(one.raw) ? 'none' : 'given';
        if (wordTimes === 'given' && regions.length > 1) return null;
      }
      return alone;
    };
    const recognizedWhole = async (window: RecognitionWindow): Promise<RecognizedWindow[]> => {
      const whole = await recognizedOne(window);
      if (isSecond || window.regions.length === 1 || !isWithoutWordTimes(whole.raw)) return [whole];
      // Without times of words it cannot be divided. A line of half a minute is worse than a sentence that ends with its region.
      wordTimes = 'none';
      return (await recognizedAlone(window)) ?? [whole];
    };
    try {
      for (const [at, window] of windows.entries()) {
        work.signal.throwIfAborted();
        const known = before[at];
        if (known?.cause !== undefined) done.push(known);
        else {
          const alone = wordTimes === 'given' ? null : await recognizedAlone(window);
          const found = alone ?? (await recognizedWhole(window));
          for (const each of found) done.push(isSecond ? each : await asked(each));
        }
        doneMs += window.endMs - window.startMs;
      }
      const [first] = failed;
      if (first !== undefined && done.every(({ cause }) => cause !== undefined)) throw first.cause;
      return done;
    } finally {
      // A study whose time was up says most of how long the next one takes. What cannot be noted is learnt from another one.
      await this.#options.pace?.noted(spent.speechMs, spent.workMs).catch(() => undefined);
    }
  }

  /** A window as it is kept or recognized, or with the cause why not, which `failed` gets too. */
  async #attempted(
    input: PartInput,
    window: RecognitionWindow,
    part: Parameters<KeptParts<KeptRegion>['of']>[2],
    failed: RegionUnrecognized[],
  ): Promise<RecognizedWindow> {
    const { startMs, endMs } = window;
    try {
      return { ...window, ...(await this.#options.regions.of(input, { startMs, endMs }, part)) };
    } catch (error) {
      if (!(error instanceof RegionUnrecognized)) throw error;
      failed.push(error);
      return asUnrecognized({ ...window, ...emptyRegion }, error.failure);
    }
  }

  async #soundOf({ source, start, signal }: TranscriptRequest, window: Range): Promise<RegionSound> {
    const { objectStore } = this.#options;
    const path = await intactPathOf(objectStore, mediaOf(source));
    const { audioTrackIndex } = trackOf(source, start.analysisRequest);
    if (audioTrackIndex === null) throw mediaGone;
    const sound = { path, audioTrackIndex, countsSamples: countsSamples(source), region: rangeOf(window), signal };
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

const asUnrecognized = (window: RecognizedWindow, cause: EngineFailureCause | undefined): RecognizedWindow =>
  cause === undefined ? window : { ...window, ...emptyRegion, cause };

const rangeOf = ({ startMs, endMs }: Range): Range => ({ startMs, endMs });

/** The same window with more sound on both sides. */
const secondWindow = ({ regions, ...window }: RecognitionWindow, range: Range): RecognitionWindow => ({
  ...secondRegion(window, range),
  regions,
});

/** How regions were joined to windows; nothing for a recognizer that gets each region alone. */
const windowParameters = ({ wordTimes }: Recognizer): EvidenceArtifact['parameters'] =>
  wordTimes === 'none' ? {} : WINDOW_RULE;

/**
 * The text of a second run for each line, in the order of the lines; undefined if there was only one run. Whole windows are compared: a
 * word at the edge of a region may be in either of two.
 */
function textsOfSecondRun({ lines, windows }: PlacedTranscript, again: readonly RecognizedWindow[]): (string | null)[] {
  return again.flatMap((window, at) =>
    secondTexts(
      lines.filter((_, line) => windows[line] === at).map(({ text }) => text),
      placedTranscript([window], []).lines.map(({ text }) => text),
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
