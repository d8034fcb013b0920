import { screenTextCapability } from '../../contract/base/operation.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import {
  maximumScreenTextReceiptBytes,
  type ScreenTextReceipt,
  screenTextReceipt,
} from '../../contract/screentext/screen-text-operation.ts';
import { furtherShape } from '../evidence/check-evidence.ts';
import { detectedArtifactKind } from '../evidence/detected-evidence.ts';
import { GrantedOperation } from '../evidence/granted-operation.ts';
import { textsOf } from './check-screen-text.ts';

/** The kind of the artifact whose moments are read. */
export const keyframesKind = detectedArtifactKind('keyframes');

/** The reading of the text on the screen of a run, at its keyframes and between them. */
export const screenReading = new GrantedOperation<ScreenTextReceipt, FurtherArtifact>({
  link: 'screen_text',
  schema: screenTextReceipt,
  maximumBytes: maximumScreenTextReceiptBytes,
  capability: screenTextCapability,
  name: 'studio.screen-text.receipt.v1',
  idPrefix: 'screen-text',
  kind: 'screen_text',
  found: furtherShape,
  from: 'keyframesFrom',
  events: 'screen.text',
  grantOf: ({ screenTextGrantId }) => screenTextGrantId,
  countsOf: (found) => {
    const texts = found === null ? [] : textsOf(found);
    const passedTexts = texts.filter(({ outcome }) => outcome === 'passed').length;
    return { passedTexts, withheldTexts: texts.length - passedTexts };
  },
});
