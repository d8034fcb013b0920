import type { FurtherArtifact, ScreenBox, ScreenTextFact } from '../../contract/evidence/evidence.ts';
import type { Judgement } from '../../contract/judgement.ts';
import { maximumScreenTextReceiptBytes, type ScreenTextReceipt, screenTextReceipt } from '../../contract/screentext.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { statedNumber } from '../../kinds/kind.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import { judgedText, languagesReadBy } from '../../rules/screentext.ts';
import {
  foldGrantCompleted,
  GrantedOperation,
  type GrantedWork,
  type VerifiedGrant,
} from '../evidence/granted-operation.ts';
import { detectedArtifactKind, type StartingEvidence } from '../evidence/media-operation.ts';
import { checkObjectInSteps, demandDerived, EvidenceChainError } from '../evidence-chain.ts';
import { withGranted } from '../study/progress.ts';
import type { FoldContext } from '../study-run.ts';
import { checkEvidence, furtherShape, type PassFindings, type VerifiedOperation } from './detect.ts';
import { grantedStage } from './granted.ts';

/** The texts of an artifact. */
export const screenTextsOf = ({ facts }: Pick<FurtherArtifact, 'facts'>): ScreenTextFact[] =>
  facts.flatMap((fact) => (fact.kind === 'screen_text' ? [fact] : []));

const isBox = ({ leftMilli, topMilli, rightMilli, bottomMilli }: ScreenBox): boolean =>
  leftMilli <= rightMilli && topMilli <= bottomMilli;

/** A text was read in pictures of its own time, of which each has a millisecond, and looked at again where it was sure. */
function checkSeen({ startMs, endMs, readings, box, confidenceMilli, secondLook }: ScreenTextFact, sureMilli: number) {
  if (!isBox(box)) return 'box';
  if (endMs <= startMs) return 'endMs';
  if (readings > endMs - startMs) return 'readings';
  return secondLook === undefined && confidenceMilli >= sureMilli ? 'secondLook' : null;
}

/** Judges every text again if this program has the gates that the artifact states; what was read cannot be derived. Throws `EvidenceChainError`. */
export function checkScreenText(artifact: FurtherArtifact): Judgement {
  const texts = screenTextsOf(artifact);
  // Evidence that states no second look has none.
  const sureMilli = statedNumber(artifact, 'secondLookFromMilli') ?? Number.POSITIVE_INFINITY;
  for (const [at, text] of texts.entries()) {
    const place = checkSeen(text, sureMilli);
    if (place !== null) throw new EvidenceChainError('evidence', `texts[${at}].${place}`);
  }
  const judgement = judgementBy(ruleSets.screenTextGates, statedNumber(artifact, 'gates') ?? undefined);
  const languages = languagesReadBy(artifact.parameters);
  const derived = texts.map((text, index) => {
    const { outcome: _, reasonCodes, ...seen } = text;
    if (judgement.check === 'judged_again') return judgedText({ ...seen, index }, languages);
    return { ...text, index, outcome: reasonCodes.length === 0 ? 'passed' : 'withheld' };
  });
  demandDerived('evidence', { texts }, { texts: derived });
  return judgement;
}

/** The kind of the artifact whose moments are read. */
const keyframesKind = detectedArtifactKind('keyframes');

/** The reading of the text on the screen of a run, at its keyframes and between them. */
export const screenReading = new GrantedOperation<ScreenTextReceipt, FurtherArtifact>({
  link: 'screen_text',
  schema: screenTextReceipt,
  maximumBytes: maximumScreenTextReceiptBytes,
  stage: 'readScreen',
  name: 'studio.screen-text.receipt.v1',
  idPrefix: 'screen-text',
  kind: 'screen_text',
  found: furtherShape,
  from: 'keyframesFrom',
  events: 'screen.text',
  countsOf: (found) => {
    const texts = found === null ? [] : screenTextsOf(found);
    const passedTexts = texts.filter(({ outcome }) => outcome === 'passed').length;
    return { passedTexts, withheldTexts: texts.length - passedTexts };
  },
});

/** The result of the reading of the screen of a run: its texts, or the reason why there are none. */
type VerifiedScreenText = VerifiedGrant<ScreenTextReceipt, FurtherArtifact>;

const keyframesOf = (operations: readonly VerifiedOperation[]): StartingEvidence =>
  operations
    .flatMap(({ further }) => further)
    .filter(({ artifact }) => artifact.kind === 'keyframes')
    .map(({ artifactId, contentId }) => ({ artifactId, contentId }));

/** Reopens the texts and checks them. Throws `EvidenceChainError` at the first place that does not follow. */
const foldScreenTextCompleted = (context: FoldContext, open: GrantedWork | null): Promise<VerifiedScreenText> => {
  const { run, source } = context;
  const seen = source.registered.tracks.find(({ kind }) => kind === 'video')?.index;
  return foldGrantCompleted(context, screenReading, open, {
    reason: seen === undefined ? 'no_video_track' : 'no_frames_in_range',
    check: (found, contentId, { producer }) =>
      checkObjectInSteps(contentId, function* () {
        checkEvidence(found, { run, source: source.registered, operation: producer, kind: 'screen_text' });
        const { trackIndex } = found.input;
        demandDerived('evidence', { input: { trackIndex } }, { input: { trackIndex: seen } });
        yield;
        return checkScreenText(found);
      }),
    said: ({ result }) => `${countText(result.passedTexts, 'text')}, ${result.withheldTexts} withheld`,
  });
};

/** The reading of the text on the screen of a run, at the keyframes that were chosen and between them. */
export const screenStage = grantedStage({
  operation: screenReading,
  key: 'screenText',
  records: { 'screen-text': screenTextReceipt },
  starts: {
    'artifact.recorded': (progress, { artifact: { id, kind, content } }) =>
      kind === keyframesKind
        ? withGranted(progress, 'readScreen', { from: [{ artifactId: id, contentId: content.contentId }] })
        : progress,
  },
  startsFrom: ({ operations }: PassFindings) => keyframesOf(operations),
  completed: foldScreenTextCompleted,
});
