import { type ScreenTextFact, screenTextFact, screenTextReasons } from '../contract/evidence/evidence.ts';
import { countText } from '../formats/readable-numbers.ts';
import { countOf, titled } from './found.ts';
import type { EvidenceKind } from './kind.ts';

/** Text on the screen: what passed, and of what a gate withheld how many by each reason; a text may have several. */
export const screenText: EvidenceKind<'screen_text', ScreenTextFact> = {
  name: 'screen_text',
  title: 'text on the screen',
  track: 'video',
  facts: { screen_text: { schema: screenTextFact, words: [{ value: 'text' }], tone: 'text' } },
  order: 'free',
  measured: ['unreadPicturesMs'],
  lane: { place: 160, about: 'words', backdrop: null },
  summary: titled,
  row: { usual: false, name: ({ outcome }) => (outcome === 'passed' ? 'text' : null) },
  found: (facts) => {
    const passed = facts.filter(({ outcome }) => outcome === 'passed');
    const reasons = screenTextReasons.flatMap((reason) => {
      const count = facts.filter(({ reasonCodes }) => reasonCodes.includes(reason)).length;
      return count === 0 ? [] : [`${reason} ${count}`];
    });
    const withheld = facts.length - passed.length;
    return {
      text: `${countText(passed.length, 'text')} recognized${withheld === 0 ? '' : `, ${withheld} more withheld (${reasons.join(', ')})`}`,
      measures: countOf(passed.length),
      places: passed,
    };
  },
};
