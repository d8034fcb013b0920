import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact, RecognisedRegionFact, TranscriptLineFact } from '../../contract/evidence/evidence.ts';
import type { MediaEvidence } from '../../contract/evidence/media-operation.ts';
import type { Judgement } from '../../contract/judgement.ts';
import {
  maximumSemanticReceiptBytes,
  type SemanticEvidenceReceipt,
  semanticEvidenceReceipt,
} from '../../contract/recognition.ts';
import { countText } from '../../formats/readable-numbers.ts';
import type { Steps } from '../../formats/steps.ts';
import { statedNumber } from '../../kinds/kind.ts';
import { START_RULE, startedWithSpeech } from '../../rules/line-starts.ts';
import { speechOf, speechRegions, unrecognizedParameters } from '../../rules/recognition.ts';
import { regionHolding, type WindowRule, windowAlone, windowsOf } from '../../rules/recognition-windows.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import { hullOf, lengthOf } from '../../rules/time-spans.ts';
import { askedLanguageIn, declaredLanguages, gatedLines, isKnownInvention } from '../../rules/transcript-gates.ts';
import {
  foldGrantCompleted,
  GrantedOperation,
  type GrantedWork,
  type VerifiedGrant,
} from '../evidence/granted-operation.ts';
import type { StartingEvidence } from '../evidence/media-operation.ts';
import { samplesPerMs } from '../evidence/readable-evidence.ts';
import { checkObjectInSteps, demandDerived, demandDerivedInSteps, EvidenceChainError } from '../evidence-chain.ts';
import { withGranted } from '../study/progress.ts';
import type { FoldContext } from '../study-run.ts';
import {
  checkEvidence,
  evidenceShape,
  type PassFindings,
  type VerifiedEvidence,
  type VerifiedOperation,
} from './detect.ts';
import { grantedStage } from './granted.ts';

/** The evidence of the study that regions follow from, in this order; none where no detector could look for speech. */
const regionKinds = ['speech_activity', 'silence'] as const;

const linesOf = (transcript: EvidenceArtifact | null): TranscriptLineFact[] =>
  (transcript?.facts ?? []).flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : []));

/** The recognition of the speech of a run, from the detected speech and silences. */
export const recognition = new GrantedOperation<SemanticEvidenceReceipt, EvidenceArtifact>({
  link: 'recognition',
  schema: semanticEvidenceReceipt,
  maximumBytes: maximumSemanticReceiptBytes,
  stage: 'recognize',
  name: 'studio.semantic-evidence.receipt.v1',
  idPrefix: 'semantic-evidence',
  kind: 'transcript',
  found: evidenceShape,
  from: 'regionsFrom',
  events: 'semantic.evidence',
  wishedEngine: ({ recognition }) => recognition?.recognizer ?? null,
  countsOf: (transcript) => {
    const lines = linesOf(transcript);
    const passedLines = lines.filter(({ outcome }) => outcome === 'passed').length;
    const regions = (transcript?.facts ?? []).filter(({ kind }) => kind === 'recognised_region').length;
    return { regions, passedLines, withheldLines: lines.length - passedLines };
  },
});

/** The basis for deriving a transcript again: the study's own evidence and its declared languages (base codes). */
interface TranscriptBasis {
  readonly speech: EvidenceArtifact;
  readonly silences: EvidenceArtifact;
  readonly languages: readonly string[];
}

const isWithin = (inner: Range, outer: Range): boolean =>
  outer.startMs <= inner.startMs && inner.startMs <= inner.endMs && inner.endMs <= outer.endMs;

function checkPlaces(line: TranscriptLineFact, region: RecognisedRegionFact | undefined, place: string): void {
  const isInside = region !== undefined && isWithin(line, region.window ?? region);
  if (!isInside) throw new EvidenceChainError('evidence', place);
  const bad = line.words.findIndex((word) => !isWithin(word, line));
  if (bad !== -1) throw new EvidenceChainError('evidence', `${place}.words[${bad}]`);
}

/** A recognizer that is sure of words is sure of their line. A line has a second text only if its transcript has a second run. */
function checkMeasures(line: TranscriptLineFact, runsTwice: boolean, place: string): void {
  const { words, measures, second } = line;
  const isUnmeasured = measures.confidence === null && words.some(({ confidence }) => confidence !== null);
  if (isUnmeasured) throw new EvidenceChainError('evidence', `${place}.measures.confidence`);
  if (second !== null && !runsTwice) throw new EvidenceChainError('evidence', `${place}.second`);
}

/** Lines follow each other: by their regions, and apart within one window. */
function checkOrder(
  line: TranscriptLineFact,
  before: TranscriptLineFact | undefined,
  areOfOneWindow: boolean,
  place: string,
): void {
  if (before === undefined || (line.regionIndex > before.regionIndex && !areOfOneWindow)) return;
  if (line.regionIndex < before.regionIndex) throw new EvidenceChainError('evidence', `${place}.regionIndex`);
  if (line.startMs < before.endMs) throw new EvidenceChainError('evidence', `${place}.startMs`);
}

/** A transcript states how many regions were not recognized. One at least was, and no line is of any other. */
function checkUnrecognized(
  { parameters }: Pick<EvidenceArtifact, 'parameters'>,
  regions: readonly RecognisedRegionFact[],
  lines: readonly TranscriptLineFact[],
): void {
  const { unrecognisedRegions: stated } = parameters;
  demandDerived(
    'evidence',
    { parameters: stated === undefined ? {} : { unrecognisedRegions: stated } },
    { parameters: unrecognizedParameters(regions) },
  );
  const areAll = regions.length > 0 && regions.every(({ cause }) => cause !== undefined);
  if (areAll) throw new EvidenceChainError('evidence', 'regions[0].cause');
  const bad = lines.findIndex(({ regionIndex }) => regions[regionIndex]?.cause !== undefined);
  if (bad !== -1) throw new EvidenceChainError('evidence', `lines[${bad}].regionIndex`);
}

/** The sound of a region is not longer than the region, or its window. */
function checkRegionSamples({ window, heard, ...region }: RecognisedRegionFact, place: string): void {
  if (heard.samples <= lengthOf(window ?? region) * samplesPerMs) return;
  throw new EvidenceChainError('evidence', `${place}.heard.samples`);
}

/** The language of a region was heard in it, or in its window, and only where something was recognized. */
function checkSpoken({ spoken, cause, window, ...region }: RecognisedRegionFact, place: string): void {
  if (spoken === undefined) return;
  const isOf = (piece: Range | undefined) => piece?.startMs === spoken.startMs && piece.endMs === spoken.endMs;
  if (cause !== undefined || !(isOf(region) || isOf(window)))
    throw new EvidenceChainError('evidence', `${place}.spoken`);
}

const windowRuleOf = (transcript: EvidenceArtifact): WindowRule | null => {
  const joinedGapMs = statedNumber(transcript, 'joinedGapMs');
  const longestWindowMs = statedNumber(transcript, 'longestWindowMs');
  return joinedGapMs === null || longestWindowMs === null ? null : { joinedGapMs, longestWindowMs };
};

/** The regions of one window of a transcript, in order. */
type TranscribedWindow = readonly RecognisedRegionFact[];

/**
 * The windows of a transcript by the rule that it states. Neighbors are in one window, or each of them is alone because its recognizer gave
 * no times of words. Transcripts of earlier versions state no rule.
 */
function windowsIn(transcript: EvidenceArtifact, regions: readonly RecognisedRegionFact[]): TranscribedWindow[] {
  const rule = windowRuleOf(transcript);
  const windows = rule === null ? regions.map(windowAlone) : windowsOf(regions, rule);
  let next = 0;
  return windows.flatMap((joined) => {
    const members = regions.slice(next, next + joined.regions.length);
    next += joined.regions.length;
    return members.every(({ window }) => window === undefined) ? members.map((region) => [region]) : [members];
  });
}

/** A region as the others of its window have it: they share its sound, and what is stated of it. */
const regionOfWindow = (region: RecognisedRegionFact, members: TranscribedWindow): RecognisedRegionFact => {
  const { heard, language, cause } = members[0] ?? region;
  const { kind, index, startMs, endMs, spoken } = region;
  return {
    kind,
    index,
    startMs,
    endMs,
    ...(members.length === 1 ? {} : { window: hullOf(members) }),
    heard,
    language,
    ...(spoken === undefined ? {} : { spoken }),
    ...(cause === undefined ? {} : { cause }),
  };
};

/** Lines of a window are of the region that holds most of them, and begin with the detected speech if their transcript states so. */
function checkWindowLines(
  { parameters }: EvidenceArtifact,
  members: TranscribedWindow,
  lines: readonly TranscriptLineFact[],
  speech: readonly Range[],
): void {
  const firstIndex = members[0]?.index ?? 0;
  const places = lines.map((line) => ({ ...line, regionIndex: firstIndex + regionHolding(line, members) }));
  const derived =
    parameters.lineStarts === START_RULE.lineStarts ? startedWithSpeech(places, hullOf(members), speech) : places;
  for (const [at, line] of lines.entries()) {
    const place = `lines[${line.index}]`;
    demandDerived('evidence', { [place]: line }, { [place]: { ...derived[at] } });
  }
}

/**
 * Checks a transcript against its basis. Its regions are those of the detected speech, and its lines and words lie in them. The
 * gates judge its lines as it states, if this program has their version. The recognized text cannot be derived again. Throws
 * `EvidenceChainError`. In steps, a few for each line.
 */
export function* checkTranscript(transcript: EvidenceArtifact, basis: TranscriptBasis): Steps<Judgement> {
  const { facts, input, parameters } = transcript;
  const { range, trackIndex } = input;
  demandDerived('evidence', { input: { trackIndex } }, { input: { trackIndex: basis.speech.input.trackIndex } });
  const regions = facts.flatMap((fact) => (fact.kind === 'recognised_region' ? [fact] : []));
  const lines = facts.flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : []));
  const spans = regions.map(({ index, startMs, endMs }) => ({ index, startMs, endMs }));
  yield;
  const derived = speechRegions(range, basis.speech, basis.silences).map((region, index) => ({ index, ...region }));
  yield* demandDerivedInSteps('evidence', { regions: spans }, { regions: derived });
  const windows = windowsIn(transcript, regions);
  yield* demandDerivedInSteps(
    'evidence',
    { regions },
    { regions: windows.flatMap((members) => members.map((region) => regionOfWindow(region, members))) },
  );
  for (const [at, region] of regions.entries()) {
    checkRegionSamples(region, `regions[${at}]`);
    checkSpoken(region, `regions[${at}]`);
  }
  checkUnrecognized(transcript, regions, lines);
  const runsTwice = parameters.secondRun !== undefined;
  const windowOf = windows.flatMap((members, at) => members.map(() => at));
  for (const [at, line] of lines.entries()) {
    yield;
    const place = `lines[${at}]`;
    const before = lines[at - 1];
    checkPlaces(line, regions[line.regionIndex], place);
    checkOrder(line, before, windowOf[before?.regionIndex ?? -1] === windowOf[line.regionIndex], place);
    checkMeasures(line, runsTwice, place);
  }
  const speech = speechOf(basis.speech);
  let next = 0;
  for (const [at, members] of windows.entries()) {
    yield;
    const first = next;
    while (windowOf[lines[next]?.regionIndex ?? -1] === at) next += 1;
    checkWindowLines(transcript, members, lines.slice(first, next), speech);
  }
  const judgement = judgementBy(ruleSets.transcriptGates, statedNumber(transcript, 'gates') ?? undefined);
  if (judgement.check === 'judged_again') {
    const voiceConfidence = statedNumber(transcript, 'voiceConfidence');
    const asked = askedLanguageIn(transcript, basis.languages);
    yield* checkVerdicts(lines, regions, { ...basis, runsTwice, voiceConfidence, asked });
  } else yield* demandDerivedInSteps('evidence', { lines }, { lines: lines.map(statedVerdict) });
  return judgement;
}

/** A line by its own statements alone: it passed if no gate has a reason against it. */
const statedVerdict = (line: TranscriptLineFact, index: number): TranscriptLineFact => ({
  ...line,
  index,
  outcome: line.reasonCodes.length === 0 ? 'passed' : 'withheld',
});

/** The basis with what a transcript states of its runs and of its recognizer. */
interface JudgedBasis extends TranscriptBasis {
  readonly runsTwice: boolean;
  readonly voiceConfidence: number | null;
  readonly asked: string | null;
}

/** Judges every line again. Of two runs, only a line that recognizers are known to invent has no second text. */
function* checkVerdicts(
  lines: readonly TranscriptLineFact[],
  regions: readonly RecognisedRegionFact[],
  { speech, languages, runsTwice, voiceConfidence, asked }: JudgedBasis,
): Steps<void> {
  const unheard = lines.findIndex(({ text, second }) => runsTwice && second === null && !isKnownInvention(text));
  if (unheard !== -1) throw new EvidenceChainError('evidence', `lines[${unheard}].second`);
  const recognized = lines.map(({ outcome, reasonCodes, ...line }, index) => ({ ...line, index }));
  const evidence = { speech: speechOf(speech), regions, languages, asked, voiceConfidence };
  const judged = yield* gatedLines(recognized, evidence);
  yield* demandDerivedInSteps('evidence', { lines }, { lines: judged });
}

/** The result of the recognition of a run: its transcript, or the reason why there is none. */
export type VerifiedRecognition = VerifiedGrant<SemanticEvidenceReceipt, EvidenceArtifact>;

function detectedBy(operations: readonly VerifiedOperation[], kind: (typeof regionKinds)[number]): VerifiedEvidence {
  const found = operations.flatMap(({ evidence }) => evidence).find(({ delivered }) => delivered.kind === kind);
  if (found === undefined) throw new EvidenceChainError('recognition', 'request.regionsFrom');
  return found;
}

const namesOf = (operations: readonly VerifiedOperation[]): StartingEvidence =>
  regionKinds.flatMap((kind) => {
    const { delivered } = detectedBy(operations, kind);
    return delivered.state === 'available'
      ? [{ artifactId: delivered.artifactId, contentId: delivered.contentId }]
      : [];
  });

/** Reopens the transcript and checks it. Throws `EvidenceChainError` at the first place that does not follow. */
const foldRecognitionCompleted = (
  context: FoldContext,
  open: GrantedWork | null,
  operations: readonly VerifiedOperation[],
): Promise<VerifiedRecognition> => {
  const { run, source } = context;
  const hasSound = open?.from.length === regionKinds.length;
  return foldGrantCompleted(context, recognition, open, {
    reason: hasSound ? 'language_not_recognised' : 'no_audio_in_range',
    check: (transcript, contentId, { producer }) => {
      const [speech, silences] = regionKinds.map((kind) => detectedBy(operations, kind).artifact);
      if (speech == null || silences == null) throw new EvidenceChainError('recognition', 'receipt.evidence');
      return checkObjectInSteps(contentId, function* () {
        checkEvidence(transcript, { run, source: source.registered, operation: producer, kind: 'transcript' });
        yield;
        return yield* checkTranscript(transcript, {
          speech,
          silences,
          languages: declaredLanguages(run.record.analysisRequest),
        });
      });
    },
    said: ({ result }) => `${countText(result.passedLines, 'line')}, ${result.withheldLines} withheld`,
  });
};

const regionsFromOf = (evidence: readonly MediaEvidence[]): StartingEvidence =>
  regionKinds.flatMap((kind) => {
    const found = evidence.find((each) => each.kind === kind);
    return found?.state === 'available' ? [{ artifactId: found.artifactId, contentId: found.contentId }] : [];
  });

/** The recognition of the speech of a run, from the speech and the silences that were detected. */
export const recognizeStage = grantedStage({
  operation: recognition,
  key: 'recognition',
  records: { 'semantic-evidence': semanticEvidenceReceipt },
  starts: {
    'media.operation_completed': (progress, { receipt: { capability, evidence } }) =>
      capability === 'media.detect' ? withGranted(progress, 'recognize', { from: regionsFromOf(evidence) }) : progress,
  },
  startsFrom: ({ operations }: PassFindings) => namesOf(operations),
  completed: (context, begun, { operations }) => foldRecognitionCompleted(context, begun, operations),
});
