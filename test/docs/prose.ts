import { TextlintKernel, type TextlintRuleModule } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';

/** A habit of ours that a reader stumbles over, and what to write. */
export interface Habit {
  readonly pattern: RegExp;
  readonly write: string;
}

/** From docs/style.md. Each is common in translated English and has a plain form. */
const habits: readonly Habit[] = [
  {
    pattern: /(?:^|[.:] )Where (?!to\b)(?:a|an|it|no|none|nothing|one|that|the|there|they|this|you)\b/g,
    write: '"if"',
  },
  { pattern: /\bwhere (?:there is|none|nothing|it (?:is|has|does|can)|they (?:are|have|do))\b/g, write: '"if"' },
  { pattern: /\bof a host that\b/gi, write: 'what the host does' },
  { pattern: /(?<!\bthere )\b(?:what )?is none\b/gi, write: 'what is invalid or missing' },
  { pattern: /\banew\b/gi, write: '"again"' },
  { pattern: /\b(?:is|are|was|were|be|been) (?:asked|told)\b/gi, write: 'who asks or says it' },
  { pattern: /\b(?:hears?|heard|deeds?|whoever|lest|nobody|somebody)\b/gi, write: 'the plain word' },
  { pattern: /\bstands? (?:at|before|beside|between|in|on|there)\b/gi, write: '"is"' },
  { pattern: /\bas often as\b/gi, write: 'how often' },
  { pattern: /\b(?:are|is) had\b/gi, write: 'who has it' },
  {
    pattern: /\b\w*(?:avour|olour|ehaviour|ecognis|rganis|ormalis|uthoris|nalys(?!is|es\b|t)e?)\w*\b/gi,
    write: 'American spelling',
  },
];

/** Habits of pages alone: what source files still have is in `source-prose.ts`. */
const pageHabits: readonly Habit[] = [
  ...habits,
  { pattern: /\b(?:stands?|stood)\b(?![- ]in\b| for\b)/gi, write: '"is"' },
  { pattern: /\btold\b/gi, write: 'who learns it, and from whom' },
  { pattern: /\b(?:goes|going|go|went) on\b/gi, write: '"continue"' },
  {
    pattern:
      /\b(?:artefacts?|cancell(?:ed|ing)|centred?|grey|journall\w+|labell\w+|licences?|neighbour\w*|programmes?)\b/gi,
    write: 'American spelling',
  },
];

const longestSentence = 25;

/** The words of each sentence of a paragraph. A dot ends one if a space and a capital, or the end, follow. */
const sentencesOf = (paragraph: string): readonly string[][] =>
  paragraph
    .split(/(?<=[.!?:])\s+(?=["'“([*_]*\p{Lu}|$)/u)
    .map((sentence) => sentence.split(/\s+/).filter((word) => /\p{L}/u.test(word)));

/** Findings in a text without markup: its habits, and its sentences that are too long. Code counts as one word. */
export function plainFindings(text: string, others: readonly Habit[] = []): readonly string[] {
  const plain = text.replaceAll(/`[^`]*`/g, 'Code');
  const found = [...habits, ...others].flatMap(({ pattern, write }) =>
    [...plain.matchAll(pattern)].map(([words]) => `"${words.trim()}": write ${write}`),
  );
  const long = sentencesOf(plain).filter((words) => words.length > longestSentence);
  return [...found, ...long.map(tooLong)];
}

const tooLong = (words: readonly string[]): string =>
  `${words.length} words in "${words.slice(0, 6).join(' ')} …": at most ${longestSentence}`;

/** A rule of textlint: the habits in the text of a page, code and links' addresses left out, and sentences that are too long. */
const plainWords: TextlintRuleModule = ({ Syntax, RuleError, report, getSource }) => ({
  [Syntax.Str](node) {
    const text = getSource(node);
    for (const { pattern, write } of pageHabits) {
      for (const found of text.matchAll(pattern)) {
        report(node, new RuleError(`"${found[0].trim()}": write ${write}`, { index: found.index }));
      }
    }
  },
  [Syntax.Paragraph](node) {
    // Code counts as one word.
    const text = getSource(node)
      .replaceAll(/`[^`]*`/g, 'Code')
      .replaceAll(/\]\([^)]*\)/g, ']');
    for (const words of sentencesOf(text)) {
      if (words.length > longestSentence) report(node, new RuleError(tooLong(words)));
    }
  },
});

const kernel = new TextlintKernel();

/** Findings of the style page in a page: `12: "anew": write "again"`. */
export async function proseFindings(page: string): Promise<readonly string[]> {
  const { messages } = await kernel.lintText(page, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [{ ruleId: 'plain-words', rule: plainWords }],
  });
  return messages.map(({ line, message }) => `${line}: ${message}`);
}
