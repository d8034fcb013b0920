import {
  type RecognisedRegionFact,
  recognisedRegionFact,
  type TranscriptLineFact,
  transcriptLineFact,
} from '../contract/evidence/evidence.ts';
import { countText } from '../formats/readable-numbers.ts';
import { countOf, factsOf, titled } from './found.ts';
import type { EvidenceKind } from './kind.ts';

type Fact = RecognisedRegionFact | TranscriptLineFact;

/** Recognized speech. A line that a gate withheld is counted, and not shown. Neither are regions that were not recognized. */
export const transcript: EvidenceKind<'transcript', Fact> = {
  name: 'transcript',
  title: 'recognized speech',
  track: 'audio',
  facts: {
    recognised_region: {
      schema: recognisedRegionFact,
      words: [
        {
          value: 'cause',
          form: 'cause',
          before: 'speech that was not recognized: ',
          otherwise: 'recognised region',
        },
      ],
      tone: 'other',
    },
    transcript_line: { schema: transcriptLineFact, words: [{ value: 'text' }], tone: 'text' },
  },
  order: 'free',
  measured: ['unrecognisedRegions'],
  lane: { place: 150, about: 'words', backdrop: null },
  summary: titled,
  row: { usual: false, name: (fact) => (fact.kind === 'transcript_line' && fact.outcome === 'passed' ? 'line' : null) },
  found: (facts) => {
    const lines = factsOf(facts, 'transcript_line');
    const missing = factsOf(facts, 'recognised_region').filter(({ cause }) => cause !== undefined).length;
    const passed = lines.filter(({ outcome }) => outcome === 'passed');
    const withheld = lines.length - passed.length;
    return {
      text: `${countText(passed.length, 'line')} recognized${withheld === 0 ? '' : `, ${withheld} more withheld`}${missing === 0 ? '' : `; ${countText(missing, 'passage')} not recognized`}`,
      measures: countOf(passed.length),
      places: passed,
    };
  },
};
