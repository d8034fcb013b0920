import { TextlintKernel, type TextlintRuleModule } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import ts from 'typescript-5';

const longestSentence = 25;

const british =
  /\b(?:\w*(?:avour|olour|ehaviour|ecognis|rganis|ormalis|uthoris|nalys(?!is|es\b|t)e?)\w*|artefacts?|cancell(?:ed|ing)|centred?|grey|journall\w+|labell\w+|licences?|neighbour\w*|programmes?)\b/gi;

const spellings = (text: string): readonly string[] =>
  [...text.matchAll(british)].map(([word]) => `"${word}": write American spelling`);

/** The sentences of a paragraph that are too long. Code counts as one word. A dot ends a sentence if a space and a capital, or the end, follow. */
const longSentences = (paragraph: string): readonly string[] =>
  paragraph
    .replaceAll(/`[^`]*`/g, 'Code')
    .split(/(?<=[.!?:])\s+(?=["'“([*_]*\p{Lu}|$)/u)
    .map((sentence) => sentence.split(/\s+/).filter((word) => /\p{L}/u.test(word)))
    .filter((words) => words.length > longestSentence)
    .map((words) => `${words.length} words in "${words.slice(0, 6).join(' ')} …": at most ${longestSentence}`);

/** A rule of textlint: spelling in all text of a page, code and addresses of links left out, and the length of sentences in paragraphs. */
const readable: TextlintRuleModule = ({ Syntax, RuleError, report, getSource }) => ({
  [Syntax.Str](node) {
    for (const finding of spellings(getSource(node))) report(node, new RuleError(finding));
  },
  [Syntax.Paragraph](node) {
    const text = getSource(node).replaceAll(/\]\([^)]*\)/g, ']');
    for (const finding of longSentences(text)) report(node, new RuleError(finding));
  },
});

const kernel = new TextlintKernel();

/** What a reviewer overlooks in a page: `12: "grey": write American spelling`. */
export async function pageFindings(page: string): Promise<readonly string[]> {
  const { messages } = await kernel.lintText(page, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [{ ruleId: 'readable', rule: readable }],
  });
  return messages.map(({ line, message }) => `${line}: ${message}`);
}

/** Texts that records store or identities hash, such as the rules for a model: they stay as they are. */
const kept = ['The operations of this study take as long', 'The message from the user is one JSON', 'For every facet'];

/** The words of a language, without a sentence. */
const isWordList = (text: string): boolean => !/[.,:;\p{Lu}]/u.test(text);

const isTitled = /^(?:test|[a-z]+Test)(?:\.\w+)*$/;

/** The findings in the comments of a source; comments of consecutive lines are one. Literals are blanked first, as they can contain slashes. */
function commentFindings(text: string, literals: readonly ts.Node[], source: ts.SourceFile): readonly string[] {
  let blanked = '';
  for (const literal of literals) {
    const start = literal.getStart(source);
    blanked += text.slice(blanked.length, start) + '_'.repeat(literal.end - start);
  }
  blanked += text.slice(blanked.length);
  const comments = blanked.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g);
  return [...comments].flatMap(({ 0: found, index }) => {
    const lines = text.slice(index, index + found.length).replaceAll(/^\s*(?:\/\*+|\*+\/|\/\/|\*(?!\/))|\*+\/$/gm, '');
    // A line of tags (`@param`) or a blank one ends a paragraph.
    return lines
      .split(/\n\s*(?=\n|@|- )/)
      .map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())
      .filter((paragraph) => !/^(?:@|biome-ignore)/.test(paragraph))
      .flatMap((paragraph) => [...spellings(paragraph.replaceAll(/`[^`]*`/g, '')), ...longSentences(paragraph)]);
  });
}

/** The findings in a text of a source. A value in a template counts as one word. */
function textFindings(node: ts.Node): readonly string[] {
  const text = ts.isTemplateExpression(node)
    ? node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('')
    : ts.isStringLiteralLike(node)
      ? node.text
      : '';
  if (kept.some((beginning) => text.startsWith(beginning))) return [];
  // A message is often one clause after the other; a line break ends one in usage texts and in scripts of a shell.
  return text.split(/[\n;]/).flatMap((line) => (isWordList(line) ? [] : longSentences(line)));
}

// Comments are found by their signs, so that nothing has to understand what is in them.
const options: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

/** The findings in comments and texts of a product; of tests and fixtures only in comments and titles, as they quote the texts of others. */
export function sourceFindings(file: string, text: string, of: 'product' | 'test'): readonly string[] {
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
  return [...commentFindings(text, literals, source), ...texts.flatMap(textFindings)];
}
