import { createHash } from 'node:crypto';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact, UnavailableReason } from '../../contract/evidence/evidence.ts';
import { type MediaOperationResult, mediaOperationResult } from '../../contract/evidence/media-operation.ts';
import type { KeptRegion, SemanticProducer } from '../../contract/recognition.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../../contract/study/plan.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { identityOver, joinParameters, notedOver } from '../../executors/evidence/detection-identity.ts';
import { languagesOfTexts } from '../../executors/evidence/text-language.ts';
import type { Launcher } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import type { Recognizer } from '../../executors/recognition/recognizer.ts';
import { REGION_SOUND, regionSound } from '../../executors/recognition/region-sound.ts';
import { evidenceShape } from '../../receipts/stages/detect.ts';
import { recognition } from '../../receipts/stages/recognize.ts';
import { readStoredReceipt } from '../../receipts/stored-records.ts';
import { audioTrackOf } from '../../rules/audio-track.ts';
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
} from '../../rules/recognition.ts';
import { totalLengthOf } from '../../rules/time-spans.ts';
import { declaredLanguages, GATE_PARAMETERS, gatedLines } from '../../rules/transcript-gates.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { intactPathOf, mediaGone, mediaOf } from '../sources/source-files.ts';
import { GrantedSteps, type GrantedStepsOptions, type GrantedStudyStep } from '../study/granted-steps.ts';
import type { KeptParts } from '../study/kept-windows.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { RecognitionPace } from './recognition-pace.ts';

interface TranscriberOptions {
  readonly recognizer: Recognizer;
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly detector: Detector;
  /** The tool that identifies the language of a text. */
  readonly languageTool: ToolIdentity;
  readonly objectStore: ObjectStore;
  /** The recognized text of each region. */
  readonly regions: KeptParts<KeptRegion>;
  /** True if each region is recognized a second time, and lines on which the runs differ are withheld. */
  readonly runsTwice: boolean;
  /** The times of the studies of this host; absent if it keeps none. */
  readonly pace?: Pick<RecognitionPace, 'noted'>;
}

interface TranscriptRequest {
  readonly source: RegisteredSource;
  readonly request: AnalysisRequest;
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
  producer(source: RegisteredSource, request: AnalysisRequest): SemanticProducer {
    const { recognizer, ffmpeg, languageTool } = this.#options;
    const parameters = joinParameters({ transcript: this.#parameters(source, request) });
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

  /** Rejects with `ProcessFailure`, `DetectionFailure` or `RecognitionFailure`, and with a fault where the media is gone. */
  async transcribe(work: TranscriptRequest): Promise<EvidenceArtifact | UnavailableReason> {
    const { source, request, speech, silences, signal } = work;
    const { recognizer } = this.#options;
    const reasonCode = this.#refusal(request);
    if (reasonCode !== null) return reasonCode;
    const first = speechRegions(request.range, speech, silences);
    const again = this.#options.runsTwice ? first.map((region) => secondRegion(region, request.range)) : [];
    const firstMs = totalLengthOf(first);
    const totalMs = firstMs + totalLengthOf(again);
    const placed = placedTranscript(
      await this.#recognized(work, first, (completedMs) => work.recognized(completedMs, totalMs)),
    );
    const secondRun = await this.#recognized(work, again, (completedMs) =>
      work.recognized(firstMs + completedMs, totalMs),
    );
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
      parameters: this.#parameters(source, request),
      facts: placed.regions.flatMap((region) => [
        region,
        ...lines.filter(({ regionIndex }) => regionIndex === region.index),
      ]),
    };
    return notedOver(source.incompleteMedia, artifact);
  }

  #parameters(source: RegisteredSource, request: AnalysisRequest): EvidenceArtifact['parameters'] {
    const { recognizer } = this.#options;
    const { audioTrackIndex } = trackOf(source, request);
    return {
      engine: recognizer.engine,
      ...recognizer.parameters,
      ...REGION_RULE,
      ...REGION_SOUND,
      audioTrackIndex,
      declaredLanguages: declaredLanguages(request).join(','),
      conditionedOnEarlierText: false,
      ...GATE_PARAMETERS,
      ...(this.#options.runsTwice ? SECOND_RUN_PARAMETERS : {}),
    };
  }

  /**
   * The reason why a study gets no recognition; null if there is none. A recognizer of one language serves only studies that
   * declare it alone.
   */
  #refusal(request: AnalysisRequest): UnavailableReason | null {
    const { languages } = this.#options.recognizer;
    if (languages === null) return null;
    const declared = declaredLanguages(request);
    const isServed = declared.length > 0 && declared.every((code) => languages.includes(code));
    return isServed ? null : 'language_not_recognised';
  }

  /** `recognized` gets the ms of the regions before each one that is not kept. */
  async #recognized(
    work: TranscriptRequest,
    regions: readonly Range[],
    recognized: (completedMs: number) => void,
  ): Promise<RecognizedRegion[]> {
    const { source, request } = work;
    const { recognizer, ffmpeg } = this.#options;
    const input = {
      sourceContentId: request.sourceContentId,
      tools: [...recognizer.tools, ffmpeg.identity],
      parameters: {
        ...recognizer.parameters,
        ...REGION_SOUND,
        ...trackOf(source, request),
        language: languageOf(request),
      },
    };
    const done: RecognizedRegion[] = [];
    let doneMs = 0;
    const spent = { speechMs: 0, workMs: 0 };
    try {
      for (const region of regions) {
        work.signal.throwIfAborted();
        const make = async (): Promise<KeptRegion> => {
          // Called here alone: a region that an earlier host kept takes no time, and would make the pace of the rest look fast.
          recognized(doneMs);
          const began = performance.now();
          const kept = await this.#recognize(work, region);
          spent.speechMs += region.endMs - region.startMs;
          spent.workMs += performance.now() - began;
          return kept;
        };
        const part = { make, kept: work.kept, signal: work.signal };
        done.push({ ...region, ...(await this.#options.regions.of(input, region, part)) });
        doneMs += region.endMs - region.startMs;
      }
      return done;
    } finally {
      // A study whose time was up says most of how long the next one takes. What cannot be noted is learnt from another one.
      await this.#options.pace?.noted(spent.speechMs, spent.workMs).catch(() => undefined);
    }
  }

  async #recognize({ source, request, signal, waits }: TranscriptRequest, region: Range): Promise<KeptRegion> {
    const { objectStore, recognizer } = this.#options;
    const path = await intactPathOf(objectStore, mediaOf(source));
    const { audioTrackIndex } = trackOf(source, request);
    if (audioTrackIndex === null) throw mediaGone;
    const videoTrackIndex = source.tracks.find(({ kind }) => kind === 'video')?.index ?? null;
    const sound = { path, audioTrackIndex, videoTrackIndex, region, signal };
    const samples = await regionSound(this.#options, sound);
    const contentId = `sha256:${createHash('sha256').update(samples).digest('hex')}`;
    const heard = { samples: samples.length / BYTES_PER_SAMPLE, contentId };
    return { heard, raw: await recognizer.recognize({ samples, language: languageOf(request) }, signal, waits) };
  }
}

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

/** The language for a recognizer; null if several or none are declared. */
function languageOf(request: AnalysisRequest): string | null {
  const [language, ...others] = declaredLanguages(request);
  return others.length > 0 ? null : (language ?? null);
}

interface RecognitionStepsOptions extends GrantedStepsOptions {
  /** Null on a host without a recognizer. */
  readonly transcriber: Transcriber | null;
  /** Called with the thing that the recognizer of a study waits for; null once it waits no more. */
  readonly waits: (runtimeId: string, reason: string | null) => void;
}

/** The step that transcribes the speech of a study. A recognizer that fails leaves the study without a transcript. */
export const recognitionSteps = (options: RecognitionStepsOptions): GrantedStudyStep => {
  const { content, transcriber, board, moved, waits } = options;
  return new GrantedSteps(options, {
    operation: recognition,
    producer:
      transcriber === null ? null : ({ record }, source) => transcriber.producer(source, record.analysisRequest),
    changed: 'the recognizer of the host, or its settings, changed after the recognition had begun',
    keptIn: (row) => mediaOperationResult.safeParse(row).data?.evidence[0] ?? null,
    rowOf: (kept) =>
      ({ evidence: [{ kind: 'transcript', ...kept }], derivedAudio: null }) satisfies MediaOperationResult,
    find: async ({ record }, source, { from }, signal) => {
      const read = content();
      const [speech, silences] = await Promise.all(
        from.map(async ({ contentId }) => (await readStoredReceipt(evidenceShape, read, contentId)).body),
      );
      if (transcriber === null || speech === undefined || silences === undefined) return 'no_audio_in_range';
      const { runtimeId, analysisRequest: request } = record;
      return transcriber.transcribe({
        source,
        request,
        speech,
        silences,
        signal,
        waits: (reason) => waits(runtimeId, reason),
        kept: () => moved(runtimeId),
        recognized: (completed, total) =>
          board.note(runtimeId, { stage: 'recognize', completed, total, unit: 'milliseconds' }),
      });
    },
  });
};
