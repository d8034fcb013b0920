import type { EvidenceFact } from '../../../contract/evidence/evidence-read.ts';
import type { Fact } from '../timeline/fact-words.ts';

/** What a read calls the facts that it takes over under another name. */
const kindsOfReads: Readonly<Record<string, EvidenceFact['kind']>> = {
  transcript_line: 'recognised_line',
  screen_text: 'recognised_text',
};

/** Whether a fact of a read is this fact of the evidence. A read cuts facts to its window, so it lies within this one. */
export const isCitedAs = (fact: Fact, cited: EvidenceFact): boolean =>
  cited.kind === (kindsOfReads[fact.kind] ?? fact.kind) &&
  cited.startMs >= Number(fact.startMs) &&
  cited.endMs <= Number(fact.endMs) &&
  (!('text' in cited) || cited.text === fact.text);
