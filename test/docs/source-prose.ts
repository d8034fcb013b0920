import ts from 'typescript-5';
import { type Habit, plainFindings } from './prose.ts';

/** Habits of comments and messages, beside those of pages. */
const habits: readonly Habit[] = [
  { pattern: /\bst(?:ands?|ood)\b(?! for\b|-)/gi, write: '"is"' },
  { pattern: /\btold\b/gi, write: 'who learns it, and from whom' },
  { pattern: /\b(?:says?|said) (?:how|nothing|of|what|when|where|whether|which|who)\b/gi, write: 'what it contains' },
  { pattern: /(?<!\bthere )\b(?:is|are) (?:said\b|no (?!longer\b|more\b))/gi, write: '"is not", or who says it' },
  { pattern: /\bwhere none\b|\b(?:can|may|must|do|does) none\b/gi, write: '"no" or "not"' },
  {
    pattern:
      /\b(?:has|have|had) (?:a|an|each|every|it|its|the|them) (?:\w+ ){0,2}(?:asked|checked|made|read|written)\b/gi,
    write: 'who does it',
  },
];

/** A comment begins with a noun phrase or a verb, or with the condition *True if*. */
const commentHabits: readonly Habit[] = [
  ...habits,
  { pattern: /^(?:What|Whether|Who|Whom|Whose|Which|When)\b/g, write: 'a noun phrase, or "True if"' },
];

/** Texts that records store or identities hash, such as the rules for a model, and texts of file formats: they stay as they are. */
const kept = [
  'Whoever handed this',
  'Whoever runs this host',
  'Only the range was fetched',
  'Milliseconds of media are an amount',
  'The operations of this study take as long',
  'the mix of all channels, and left',
  'You explain a selected part',
  'The message from the user is one JSON',
  'For every facet',
  'Format: Name, Fontname',
  '1\n00:00:00,200',
];

/** The words of a language, without a sentence. */
const isWordList = (text: string): boolean => !/[.,:;\p{Lu}]/u.test(text) && text.split(' ').length > 25;

/** A piece of prose in a source: a comment, or a text that people read. */
interface Prose {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** At least three words: anything shorter is a name or a value. */
const isSentence = (text: string): boolean => /\p{L}{2,},? \p{L}+,? \p{L}{2,}/u.test(text);

const isTitled = /^(?:test|[a-z]+Test)(?:\.\w+)*$/;

/** The comments of a source; those of consecutive lines are one. Literals are blanked first, as they can contain slashes. */
function commentsOf(text: string, literals: readonly ts.Node[], source: ts.SourceFile): readonly Prose[] {
  let blanked = '';
  for (const literal of literals) {
    const start = literal.getStart(source);
    blanked += text.slice(blanked.length, start) + '_'.repeat(literal.end - start);
  }
  blanked += text.slice(blanked.length);
  const comments: Prose[] = [];
  for (const { 0: found, index } of blanked.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g)) {
    const end = index + found.length;
    const lines = text.slice(index, end).replaceAll(/^\s*(?:\/\*+|\*+\/|\/\/|\*(?!\/))|\*+\/$/gm, '');
    // A line of tags (`@param`) or a blank one ends a paragraph.
    for (const paragraph of lines.split(/\n\s*(?=\n|@|- )/)) {
      const words = paragraph.replaceAll(/\s+/g, ' ').trim();
      if (!/^(?:@|biome-ignore)/.test(words)) comments.push({ start: index, end, text: words });
    }
  }
  return comments;
}

/** The texts of a source. A value in a template counts as one word. */
function textsOf(nodes: readonly ts.Node[], source: ts.SourceFile): readonly Prose[] {
  return nodes.flatMap((node) => {
    const text = ts.isTemplateExpression(node)
      ? node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('')
      : ts.isStringLiteralLike(node)
        ? node.text
        : '';
    // A message is often one clause after the other; a line break ends one in usage texts and in scripts of a shell.
    return text
      .split(/[\n;]/)
      .filter((line) => isSentence(line) && !isWordList(line) && !kept.some((beginning) => text.startsWith(beginning)))
      .map((line) => ({ start: node.getStart(source), end: node.end, text: line }));
  });
}

// Comments are found by their signs, so that nothing has to understand what is in them.
const options: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

/** Comments and texts of a product; of tests and fixtures only comments and titles, as they quote the texts of others. */
export function proseOf(file: string, text: string, of: 'product' | 'test'): readonly (Prose & { kind: string })[] {
  const source = ts.createSourceFile(file, text, options);
  const literals: ts.Node[] = [];
  const texts: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    const isPart = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isJsxText(node);
    if (isPart || ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node)) literals.push(node);
    const title = ts.isCallExpression(node) && isTitled.test(node.expression.getText(source)) && node.arguments[0];
    if (of === 'test' ? title : ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
      texts.push(title || node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [
    ...commentsOf(text, literals, source).map((comment) => ({ ...comment, kind: 'comment' })),
    ...textsOf(texts, source).map((written) => ({ ...written, kind: 'text' })),
  ];
}

/** Findings of the style page in a piece of prose. */
export const findingsOf = ({ text, kind }: { text: string; kind: string }): readonly string[] =>
  plainFindings(text, kind === 'comment' ? commentHabits : habits);
