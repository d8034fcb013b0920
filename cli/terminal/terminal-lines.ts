/** Characters that take two places of a terminal. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** Characters that take none: they belong to the one before. */
const widthless = /[\p{M}\p{Cf}]/u;

/** The places of a terminal that a text takes. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += wide.test(character) ? 2 : widthless.test(character) ? 0 : 1;
  return width;
}

const step = '  ';

/**
 * A sentence as lines that end before the last column, broken at spaces; the lines after the first are indented. A command at the
 * end of the sentence stays whole, on a line of its own, so that a person can paste it. It begins with `program`.
 */
function brokenSentence(sentence: string, columns: number, program: string): readonly string[] {
  if (widthOf(sentence) < columns) return [sentence];
  const [, indent = ''] = /^( *)/.exec(sentence) ?? [];
  const text = sentence.trimStart();
  const at = text.indexOf(`${program} `);
  const [before, command] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
  const lines: string[] = [];
  for (const word of before.trimEnd().split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(`${line} ${word}`) < columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`${indent}${lines.length === 0 ? '' : step}${word}`);
  }
  if (command === '') return lines;
  return before === '' ? [`${indent}${command}`] : [...lines, `${indent}${step}${command}`];
}

/**
 * A text for a person as the lines of their terminal, of so many columns. A terminal without a width gets each sentence whole.
 * `program` is what a person types before the name of a command.
 */
export const terminalLines = (text: string, columns: number | null, program: string): readonly string[] => {
  const sentences = text.split('\n');
  return columns === null ? sentences : sentences.flatMap((sentence) => brokenSentence(sentence, columns, program));
};
