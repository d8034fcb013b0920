import { translationLimits } from '../../contract/captions/caption-translation.ts';
import { lettersOf } from '../recognition/line-tokens.ts';
import { similarityOf } from './text-similarity.ts';
import { type SourceLine, TRANSLATION_GATE } from './translation-gates.ts';

/**
 * When two answers for one line are translations of the same text. A translation is compared with the second answers for all lines
 * that the model had before it when it gave the first one: it must be nearer to that of its own line, and have little of any
 * other. Chosen on a dialogue of twenty lines in German and French with two wordings each; docs/evaluation.md has others.
 */
export const AGREEMENT_RULE = {
  /** Lines nearer to each other than this are in no question together the second time, and no line stands there as context. */
  apartLines: translationLimits.batchLines + translationLimits.contextLines + 1,
  /** Words are compared by runs of so many signs, their bounds included. */
  runSigns: 3,
  /** The least likeness of two answers for one line, and by how much it exceeds that with the answer for any other. */
  leastLikeness: 0.1,
  leastLead: 0.04,
  /** What two lines in one have of the other's own words; shorter lines have too few of them to tell. */
  mergedShare: 0.27,
  mergedRuns: 6,
  /** One of two translations of a line is at most so much longer than the other; short ones may be. */
  lengthFactor: 1.6,
  lengthLetters: 12,
} as const;

/** Lines in the questions that are asked the second time: none of them beside what stood beside it before. */
export function apartGroups(lines: readonly SourceLine[]): SourceLine[][] {
  const { apartLines } = AGREEMENT_RULE;
  return Array.from({ length: Math.min(apartLines, lines.length) }, (_, first) =>
    lines.filter((_line, at) => at % apartLines === first),
  ).flatMap((group) => {
    const { batchLines } = translationLimits;
    return Array.from({ length: Math.ceil(group.length / batchLines) }, (_, at) =>
      group.slice(at * batchLines, (at + 1) * batchLines),
    );
  });
}

type Runs = ReadonlySet<string>;

/** Korean syllables fall apart into their letters, and accents are dropped. */
function runsOf(text: string): Runs {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  const runs = new Set<string>();
  for (const word of plain.split(' ')) {
    const signs = [...` ${word} `];
    for (let at = 0; at + AGREEMENT_RULE.runSigns <= signs.length; at += 1)
      runs.add(signs.slice(at, at + AGREEMENT_RULE.runSigns).join(''));
  }
  return runs;
}

/** Two lines in one, where nothing came back for the other line that it could be compared with. */
function isFarLonger(one: string, other: string): boolean {
  const [shorter = 0, longer = 0] = [one, other].map((text) => lettersOf(text).length).sort((a, b) => a - b);
  return longer >= AGREEMENT_RULE.lengthLetters && longer > AGREEMENT_RULE.lengthFactor * shorter;
}

/** Whether a translation is one of the line that another answer translates. */
export type Agrees = (id: string, translation: string, other: string) => boolean;

/** Compares answers beside the second answers for all lines, by their ids. A run of signs that many of them have counts less. */
export function agreementBeside(lines: readonly SourceLine[], second: ReadonlyMap<string, string>): Agrees {
  const places = new Map(lines.map(({ id }, at) => [id, at]));
  const known = lines.map(({ id }) => runsOf(second.get(id) ?? ''));
  const spread = new Map<string, number>();
  for (const runs of known) for (const run of runs) spread.set(run, (spread.get(run) ?? 0) + 1);
  const weight = (runs: Iterable<string>): number => {
    let sum = 0;
    for (const run of runs) sum += Math.log(1 + lines.length / (spread.get(run) ?? 1));
    return sum;
  };
  const within = (runs: Runs, others: Runs): string[] => [...runs].filter((run) => others.has(run));
  const likeness = (one: Runs, other: Runs): number => {
    const both = weight(one) + weight(other);
    return both === 0 ? 0 : (2 * weight(within(one, other))) / both;
  };
  const isMerged = (said: Runs, own: Runs, rival: Runs): boolean => {
    const ofRival = new Set([...rival].filter((run) => !own.has(run)));
    if (ofRival.size < AGREEMENT_RULE.mergedRuns) return false;
    return weight(within(ofRival, said)) >= AGREEMENT_RULE.mergedShare * weight(ofRival);
  };
  return (id, translation, other) => {
    const place = places.get(id) ?? 0;
    const [said, own] = [runsOf(translation), runsOf(other)];
    const alike = likeness(said, own);
    if (alike < AGREEMENT_RULE.leastLikeness || isFarLonger(translation, other)) return false;
    const text = lines[place]?.text ?? '';
    const first = Math.max(0, place - AGREEMENT_RULE.apartLines + 1);
    return lines.slice(first, place + AGREEMENT_RULE.apartLines).every((line, at) => {
      const rival = known[first + at];
      if (first + at === place || rival === undefined || rival.size === 0) return true;
      const isNearest = alike - likeness(said, rival) >= AGREEMENT_RULE.leastLead;
      if (isNearest && !isMerged(said, own, rival)) return true;
      return similarityOf(text, line.text) >= TRANSLATION_GATE.echoSimilarity;
    });
  };
}
