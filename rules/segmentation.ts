import type { Range } from '../contract/base/grammar.ts';
import type { TranscriptLineFact } from '../contract/evidence/evidence.ts';
import type { Steps } from '../formats/steps.ts';
import { type Counting, countedWidth, guidelinesFor } from './guideline-tables.ts';
import { baseLanguage } from './languages.ts';

// Ranges are written out: captions that are stored must not be divided in another way by a later version of Unicode.
const { raw } = String;

const lead = raw`[\u0E40-\u0E44\u0EC0-\u0EC4]`;
const consonant = raw`[\u0E01-\u0E2E\u0E81-\u0EAE\u0EDC-\u0EDF]`;
const mark = raw`[\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE]`;
const tone = raw`[\u0E48-\u0E4B\u0EC8-\u0ECB]?`;
const following = raw`[\u0E30\u0E32\u0E33\u0E45\u0EB0\u0EB2\u0EB3\u0EBD]`;

/** Two consonants that begin a syllable together: หมู, ไหม, ใกล้ and อยู่; of ไป only the first does. */
const onset = raw`(?:[\u0E2B\u0EAB][\u0E07\u0E0D\u0E13\u0E19\u0E21\u0E22\u0E23\u0E25\u0E27\u0E87\u0E8D\u0E99\u0EA1\u0EA3\u0EA5\u0EA7]|(?<=${lead})(?<!\u0E44(?=\u0E1B))[\u0E01\u0E02\u0E04\u0E15\u0E17\u0E1B\u0E1C\u0E1E][\u0E23\u0E25\u0E27]|\u0E2D\u0E22(?=${tone}[\u0E32\u0E39]))`;

/** The second consonant within a vowel of several signs: เปลี่ยน, เสร็จ, เฉพาะ and และ. */
const enclosed = raw`(?:(?<=[\u0E40\u0EC0]${consonant})${consonant}(?=[\u0E34\u0E35\u0E37\u0E47\u0EB1\u0EB4-\u0EB7\u0EBB]|${tone}[\u0E32\u0EB2])|(?<=${lead}${consonant})${consonant}(?=${tone}[\u0E30\u0EB0]))`;

/** After these signs the syllable continues with a consonant: วัน, คืน, เดิน, เป็น and ຄົນ; the word ก็ ends with its sign. */
const open = raw`(?<=[\u0E31\u0E37\u0EB1\u0EBB]${tone}|\u0E40${consonant}{1,2}\u0E34${tone}|${lead}${consonant}{1,2}\u0E47|(?!\u0E01)${consonant}\u0E47)`;

/** Letters that end a vowel: เธอ, เลย, เสีย, ເມຍ and ເຮືອ. */
const glide = raw`(?:(?<=\u0E40${consonant}{1,2}\u0E35?${tone})[\u0E22\u0E2D]|(?<=\u0EC0${consonant}{1,2}${tone})\u0E8D|(?<=\u0EC0${consonant}{1,2}\u0EB7${tone})\u0EAD)(?!${mark})`;

const doubled = raw`\u0E23\u0E23(?!${mark}|${following})`;

/** Consonants that are written and not spoken: จันทร์ and สิทธิ์. */
const silent = raw`${consonant}{1,2}[\u0E34\u0E38]?[\u0E4C\u0ECC]`;

/** Lao letters that are vowels behind a consonant without another: ຂອງ and ສວນ. */
const laoVowel = raw`(?<=(?<!${lead})[\u0E81-\u0EAE\u0EDC\u0EDD]${tone})[\u0EAD\u0EA7](?!${mark}|${following})`;

/**
 * A last consonant without a sign of its own, if that is certain. In Thai it is before a vowel that is written before its
 * consonant, and at the end. Elsewhere only a dictionary shows whether it begins the next syllable.
 */
const last = raw`(?:[\u0E01\u0E07\u0E14\u0E19\u0E1A\u0E21\u0E22\u0E23\u0E25\u0E27](?=[\u0E40-\u0E44])|[\u0E01-\u0E2E](?![\u0E01-\u0E2E\u0E30-\u0E3A\u0E40-\u0E45\u0E47-\u0E4E])|[\u0E81\u0E87\u0E8D\u0E94\u0E99\u0E9A\u0EA1\u0EA7](?![\u0EAD\u0EA7]|${mark}|${following}))`;

// Two of the signs before a consonant: some write แ as two of เ. More are not a syllable, and a run of them would be checked
// again from each.
const thaiOrLao = raw`${lead}{0,2}(?:${onset}|${consonant}${enclosed}?)${mark}*(?:${doubled})?(?:${open}${consonant}${mark}*|${glide}|${laoVowel})?(?:${following}|${mark})*(?:(?:${silent}(?:${following}|${mark})*)+|${last})?`;

const khmerLetter = raw`[\u1780-\u17B3]`;
const khmerMark = raw`[\u17B4-\u17D3\u17DD\u200C\u200D]`;
const khmerStack = raw`${khmerLetter}(?:${khmerMark}|(?<=\u17D2)${khmerLetter})*`;

/** A consonant with bantoc or toandakhiat ends the syllable before it: ចប់ and សប្ដាហ៍. */
const khmer = raw`${khmerStack}(?:(?=${khmerLetter}(?:\u17D2${khmerLetter})*[\u17CB\u17CD])${khmerStack})*`;

const burmeseLetter = raw`[\u1000-\u102A\u103F\u104E\u1050-\u1055\u105A-\u105D\u1061\u1065\u1066\u106E-\u1070\u1075-\u1081\u108E\uA9E0-\uA9E4\uA9E6-\uA9EF\uA9FA-\uA9FE\uAA60-\uAA7A\uAA7E\uAA7F]`;
const burmeseMark = raw`[\u102B-\u103E\u1056-\u1059\u105E-\u1060\u1062-\u1064\u1067-\u106D\u1071-\u1074\u1082-\u108D\u108F\u109A-\u109D\uA9E5\uAA7B-\uAA7D\u200C\u200D]`;
const burmeseStack = raw`${burmeseLetter}(?:${burmeseMark}|(?<=\u1039)${burmeseLetter})*`;

/** A consonant with asat, or one above another, ends the syllable before it: မြန်မာ, အင်္ဂလိပ် and ဗုဒ္ဓ. */
const burmese = raw`${burmeseStack}(?:(?=${burmeseLetter}\u1037?[\u103A\u1039])${burmeseStack})*`;

const digit = raw`[\u0E50-\u0E59\u0ED0-\u0ED9\u17E0-\u17E9\u1040-\u1049\u1090-\u1099]`;
const number = raw`${digit}+(?:[.,]${digit}+)*`;

/**
 * The pattern of one syllable of Thai, Lao, Khmer or Burmese as it is written, or of one number in the digits of these scripts.
 * The end of a syllable of Thai or Lao is not always written. No sign of it is torn from the signs that it is written with.
 */
const orthographicSyllable = `(?:${number}|${thaiOrLao}|${khmer}|${burmese})`;

/**
 * A consonant of Thai, Lao or Khmer without a sign of its own. It may end a syllable, or be one with a vowel that is not written.
 */
const loneConsonant = new RegExp(`^(?:${consonant}|[\\u1780-\\u17A2])(?![\\p{L}\\p{M}])`, 'u');

/** Signs of repetition and abbreviation, and the space without width, for a class of signs that stay with what is before them. */
const syllableEnds = raw`\u0E2F\u0E46\u0EAF\u0EC6\u17D7\u200B`;

/** A piece of a text that no row divides. */
interface TextPiece {
  readonly text: string;
  /** Its beginning in the text. */
  readonly from: number;
  /** True if a space comes before it. */
  readonly isSpaced: boolean;
  /** True if it is a consonant that may or may not belong to the syllable before it. */
  readonly isLone: boolean;
}

const dense = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const others = raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const opening = raw`[\p{Ps}\p{Pi}]`;

/** Signs that begin no row stay with what is before them, opening brackets with what follows (Unicode line breaking, UAX 14). */
const end = raw`[\p{M}\p{Pe}\p{Pf}\p{Po}\u30FC々ぁぃぅぇぉっゃゅょ]`;
// U+104E begins a word, although it is punctuation.
const ends = raw`(?:(?!\u104E)${end}|[${syllableEnds}])*`;
const syllable = raw`${orthographicSyllable}|[\p{sc=Han}\p{sc=Hiragana}${others}]`;
const syllables = new RegExp(
  raw`${opening}*(?:[\p{sc=Katakana}\u30FC]+|${syllable}|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}${others}\p{Ps}\p{Pi}\u30FC]+)${ends}|${opening}+`,
  'gu',
);

/** The pieces of a text with their places in it: words with their punctuation, and the signs of scripts without spaces. */
export function piecesOf(text: string): TextPiece[] {
  return [...text.matchAll(/[^\s\p{Cc}]+/gu)].flatMap(({ 0: word, index }) => {
    if (!dense.test(word)) return [{ text: word, from: index, isSpaced: true, isLone: false }];
    return [...word.matchAll(syllables)].map(({ 0: part, index: at }) => ({
      text: part,
      from: index + at,
      isSpaced: at === 0 && index > 0,
      isLone: loneConsonant.test(part),
    }));
  });
}

/**
 * A piece of a recognized line that no cue divides: a word with its punctuation. In a script without spaces it is the smallest
 * piece that a row can have.
 */
interface TimedUnit extends Range {
  readonly text: string;
  /** True if a space comes before it. */
  readonly isSpaced: boolean;
  /** True if it is a consonant that may belong to a syllable with its neighbor. */
  readonly isLone: boolean;
  /** The index of its line in the transcript. */
  readonly lineIndex: number;
}

/** The part of a recognized line that its words are found in. */
export type RecognizedText = Pick<TranscriptLineFact, 'index' | 'startMs' | 'endMs' | 'text' | 'words'>;

/** A place of a text whose time is known. */
interface Anchor {
  readonly at: number;
  readonly ms: number;
}

/** The places of a line's words in its text, in order, each with its time; a word that is not found there gives none. */
function anchorsOf({ startMs, endMs, text, words }: RecognizedText): Anchor[] {
  const anchors: Anchor[] = [{ at: 0, ms: startMs }];
  let from = 0;
  let reached = startMs;
  for (const word of words) {
    const spoken = word.text.trim();
    const at = spoken === '' ? -1 : text.indexOf(spoken, from);
    if (at === -1 || word.startMs < reached || word.endMs > endMs) continue;
    from = at + spoken.length;
    reached = word.endMs;
    anchors.push({ at, ms: word.startMs }, { at: from, ms: word.endMs });
  }
  return [...anchors, { at: text.length, ms: endMs }];
}

/** The time at a place between two anchors, as if everybody spoke evenly. */
function between(before: Anchor, after: Anchor, at: number): number {
  if (after.at === before.at) return before.ms;
  return Math.round(before.ms + ((after.ms - before.ms) * (at - before.at)) / (after.at - before.at));
}

/** The index of the first anchor that is not before a place; the number of anchors if all are. */
function firstFrom(anchors: readonly Anchor[], at: number): number {
  let [low, high] = [0, anchors.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((anchors[middle]?.at ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The beginning of a piece: by the last anchor that is not behind it. */
function startAt(anchors: readonly Anchor[], at: number): number {
  const index = firstFrom(anchors, at + 1) - 1;
  const before = anchors[index] ?? { at: 0, ms: 0 };
  return between(before, anchors[index + 1] ?? before, at);
}

/** The end of a piece: by the first anchor that is not before its end. */
function endAt(anchors: readonly Anchor[], at: number): number {
  const index = firstFrom(anchors, at);
  const after = anchors[index] ?? { at: 0, ms: 0 };
  return between(anchors[index - 1] ?? after, after, at);
}

/** The units of a recognized line in their order, in times that never run back; words without times share those of their line. */
export function timedUnits(line: RecognizedText): TimedUnit[] {
  const anchors = anchorsOf(line);
  let reached = line.startMs;
  return piecesOf(line.text).map(({ text, from, ...piece }) => {
    const startMs = Math.max(reached, startAt(anchors, from));
    reached = Math.max(startMs, endAt(anchors, from + text.length));
    return { text, ...piece, lineIndex: line.index, startMs, endMs: reached };
  });
}

/** The units of a text that was not spoken. */
export const untimedUnits = (text: string): TimedUnit[] =>
  piecesOf(text).map(({ from, ...piece }) => ({ ...piece, lineIndex: 0, startMs: 0, endMs: 0 }));

/** The end of a sentence that a capital follows: a full stop, unless a short word before it may be cut short, as in `Mr.` */
const fullStop = /(?:[\p{L}\p{N}][!?]|(?<![\p{L}\p{M}.])\p{Ll}[\p{L}\p{M}]{3,}\.)["'’”»)]*$/u;

/** A word in small letters alone: `iPhone` and `eBay` stay as they are. */
const smallWord = /^(["'‘“«¿¡(]*)(\p{Ll})([\p{Ll}\p{M}'’-]*[,;:.!?…]*["'’”»)]*)$/u;

/**
 * Units of recognized lines in order, with a capital where a recognizer left it out: it writes small letters after a cut. That is safe at
 * the first word of a line alone, after a full stop of the line before. Inside of a line the recognizer saw both, and a small letter
 * may be right, as after an abbreviation.
 */
export function withCapitals(units: readonly TimedUnit[], language: string): TimedUnit[] {
  return units.map((unit, at) => {
    const before = units[at - 1];
    const [, opening = '', letter, rest = ''] = smallWord.exec(unit.text) ?? [];
    if (before === undefined || letter === undefined || before.lineIndex === unit.lineIndex) return unit;
    if (!fullStop.test(before.text)) return unit;
    // Dutch writes `IJ`, and Georgian has capitals for titles alone.
    const capital = letter.toLocaleUpperCase(language);
    const isSafe = [...capital].length === 1 && !/^ij/u.test(letter + rest) && !/\p{Script=Georgian}/u.test(letter);
    return isSafe ? { ...unit, text: `${opening}${capital}${rest}` } : unit;
  });
}

/** Units as one text. */
export const textOfUnits = (units: readonly TimedUnit[]): string =>
  units.map(({ text, isSpaced }, at) => (at > 0 && isSpaced ? ` ${text}` : text)).join('');

/** The cost of dividing a text between two units, from 0 (the end of a sentence) to 10 (within a phrase). */
const BREAK_COST = { sentence: 0, clause: 1, phrase: 3, plain: 6, within: 10 } as const;

/** Pauses of speech, in ms, from which a break costs less, and one over which no cue reaches. */
const PAUSE = { shortMs: 150, longMs: 300, fullMs: 700, wallMs: 1500 } as const;

const sentenceEnd = /[.!?…。！？؟۔]["'’”»)\]」』]*$/u;
const clauseEnd = /[,;:،、，；：–—]["'’”»)\]」』]*$/u;

// Words that belong to what follows: articles, prepositions, conjunctions, auxiliaries. A row that ends with one is cut badly.
const leading: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    en: 'a an the this that these those my your his her its our their of in on at by for with from to into over under about after before between through without and or but so because if when while that which who whom whose as than i you he she it we they is are was were be been am has have had do does did will would can could shall should may might must not very too',
    de: 'der die das den dem des ein eine einen einem einer eines mein dein sein ihr unser euer in im an am auf bei beim für mit von vom zu zum zur aus nach vor über unter durch ohne um und oder aber denn weil dass wenn als ob während der welche ich du er sie es wir ihr ist sind war waren hat haben hatte wird werden kann soll muss nicht sehr',
    fr: 'le la les un une des du de d l mon ton son notre votre leur ce cette ces à au aux en dans sur sous par pour avec sans chez vers et ou mais donc car que qui dont si quand comme je tu il elle on nous vous ils elles est sont était a ont ne se très',
    es: 'el la los las un una unos unas mi tu su nuestro este esta de del a al en por para con sin sobre entre hasta desde y o pero porque que si cuando como yo él ella nosotros ellos es son era ha han no se muy',
    it: 'il lo la i gli le un uno una del della dei di a al da dal in nel con su per tra fra e o ma perché che se quando come io tu lui lei noi voi loro è sono era ha hanno non si molto',
    pt: 'o a os as um uma uns umas meu seu este esta de do da dos das em no na por para com sem sobre entre e ou mas porque que se quando como eu ele ela nós eles é são era tem têm não muito',
    nl: 'de het een mijn jouw zijn haar ons hun deze die dit dat in op aan bij voor met van naar uit over onder door zonder en of maar want omdat dat als toen terwijl ik jij hij zij wij is zijn was waren heeft hebben had niet zeer',
  }).map(([language, words]) => [language, new Set(words.split(' '))]),
);

const none: ReadonlySet<string> = new Set();

const wordOf = ({ text }: TimedUnit): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Signs without spaces between them may be one word; a consonant without a vowel more often ends a syllable than it begins one. */
function betweenSigns(before: TimedUnit, after: TimedUnit): number {
  const cost = (BREAK_COST.plain + BREAK_COST.within) / 2;
  if (after.isLone) return BREAK_COST.within;
  return before.isLone ? (cost + BREAK_COST.within) / 2 : cost;
}

function byGrammar(before: TimedUnit, after: TimedUnit, words: ReadonlySet<string>): number {
  if (sentenceEnd.test(before.text)) return BREAK_COST.sentence;
  if (clauseEnd.test(before.text)) return BREAK_COST.clause;
  if (words.has(wordOf(before))) return BREAK_COST.within;
  if (!after.isSpaced) return betweenSigns(before, after);
  return words.has(wordOf(after)) ? BREAK_COST.phrase : BREAK_COST.plain;
}

/** The cost of dividing a text between two consecutive units. */
type BreakCost = (before: TimedUnit, after: TimedUnit) => number;

/** The costs of breaks in a language; of one without a list of words, by punctuation and pauses alone. */
export function breakCosts(language: string): BreakCost {
  const words = leading[baseLanguage(language) ?? ''] ?? none;
  return (before, after) => {
    const cost = byGrammar(before, after, words);
    const pauseMs = after.startMs - before.endMs;
    if (pauseMs >= PAUSE.fullMs) return BREAK_COST.sentence;
    if (pauseMs >= PAUSE.longMs) return Math.min(cost, BREAK_COST.clause);
    return pauseMs >= PAUSE.shortMs ? Math.max(BREAK_COST.sentence, cost - 2) : cost;
  };
}

/** The size of a cue that every guideline for a language allows. */
interface CueShape {
  readonly rows: number;
  readonly minimumMs: number;
  readonly maximumMs: number;
  readonly gapMs: number;
  /** The shortest time in which a text of so many characters can be read, in ms; 0 where no guideline asks for one. */
  readingMs(characters: number): number;
  /** How much of a row a text fills; sizes add up, and a row of more than 1 is too long. */
  sizeOf(text: string): number;
}

/** The slowest frame rate at which a gap in frames is kept, in frames per second: that of film on video. */
const SLOWEST_FRAME_RATE = 24_000 / 1001;

/** The possible error of sums of fractions. */
const TOLERANCE = 1e-9;

/** True if texts of this size fit a row together. */
const fitsRow = (size: number): boolean => size <= 1 + TOLERANCE;

/** At least as wide as a guideline measures: code points are never fewer than what it counts as characters. */
function widthOf(text: string, counting: Counting): number {
  let width = 0;
  for (const character of text) width += countedWidth(character, counting) / 1000;
  return width;
}

/** The guidelines that cues are cut by. The others ask for shorter rows than the rules that break the rows of files. */
const shaping: readonly string[] = ['netflix', 'ted'];

/** The tightest of what Netflix and TED ask for a language: a cue of this shape passes both. */
export function cueShapeOf(language: string): CueShape {
  const guidelines = guidelinesFor(language).filter(({ id }) => shaping.includes(id));
  const speeds = guidelines.flatMap(({ readingSpeed }) => (readingSpeed === null ? [] : [readingSpeed.limit]));
  const frames = guidelines.map(({ gap }) => (gap !== null && 'frames' in gap ? gap.frames : 0));
  return {
    rows: Math.min(...guidelines.map(({ rows }) => rows)),
    minimumMs: Math.max(...guidelines.map(({ minimumDurationMs }) => minimumDurationMs ?? 0)),
    maximumMs: Math.min(...guidelines.map(({ maximumDurationMs }) => maximumDurationMs ?? Infinity)),
    gapMs: Math.ceil((Math.max(...frames) * 1000) / SLOWEST_FRAME_RATE),
    readingMs: (characters) => Math.max(0, ...speeds.map((speed) => Math.ceil((characters * 1000) / speed))),
    sizeOf: (text) =>
      Math.max(
        0,
        ...guidelines.map(({ rowCharacters, counting }) =>
          rowCharacters === null ? 0 : widthOf(text, counting) / rowCharacters,
        ),
      ),
  };
}

/** The cost of a character of difference between two rows, beside the break between them. */
const IMBALANCE_COST = 0.1;

/** A dash at the beginning of a word or alone, as it stands before what a speaker says. */
const turnDash = /^[-–—‐‑](?=[\p{L}\p{Pi}¿¡"'“]|\s|$)/u;

/** True if another speaker begins at a unit: it has a dash, and a sentence ends before it. */
const isTurn = (before: TimedUnit | undefined, unit: TimedUnit): boolean =>
  unit.isSpaced && turnDash.test(unit.text) && before !== undefined && sentenceEnd.test(before.text);

/** The units of each speaker, by the dashes between them. */
function turnsOf(units: readonly TimedUnit[]): readonly (readonly TimedUnit[])[] {
  const turns: TimedUnit[][] = [];
  for (const [at, unit] of units.entries()) {
    if (at === 0 || isTurn(units[at - 1], unit)) turns.push([]);
    turns.at(-1)?.push(unit);
  }
  return turns;
}

const withDash = (text: string): string => (turnDash.test(text) ? text : `- ${text}`);

/**
 * The text of a cue. Two speakers have a row with a dash each, also if the first one has none yet. The text of one is in one row if it
 * fits it. Else it is in two that fit, divided where it reads best and about evenly.
 */
export function rowsOf(units: readonly TimedUnit[], shape: CueShape, costOf: BreakCost): string {
  const turns = turnsOf(units).map((turn) => withDash(textOfUnits(turn)));
  const areRows = turns.length > 1 && turns.length <= shape.rows && turns.every((row) => fitsRow(shape.sizeOf(row)));
  return areRows ? turns.join('\n') : plainRowsOf(units, shape, costOf);
}

/** The text of a cue of one speaker: one row if it fits it. Else it is in two that fit, divided where it reads best and about evenly. */
function plainRowsOf(units: readonly TimedUnit[], shape: CueShape, costOf: BreakCost): string {
  const whole = textOfUnits(units);
  const size = shape.sizeOf(whole);
  // A text that is longer than two rows and a space fits no two rows, wherever it is divided.
  if (fitsRow(size) || size > 2 * (1 + TOLERANCE) + shape.sizeOf(' ') + TOLERANCE) return whole;
  let best: { readonly text: string; readonly cost: number } | null = null;
  for (const [at, after] of units.entries()) {
    const before = units[at - 1];
    if (before === undefined) continue;
    const [upper, lower] = [textOfUnits(units.slice(0, at)), textOfUnits(units.slice(at))];
    if (!fitsRow(shape.sizeOf(upper)) || !fitsRow(shape.sizeOf(lower))) continue;
    const cost = costOf(before, after) + IMBALANCE_COST * Math.abs([...upper].length - [...lower].length);
    if (best === null || cost < best.cost) best = { text: `${upper}\n${lower}`, cost };
  }
  // A word that is longer than a row stays whole: a report finds it.
  return best?.text ?? whole;
}

/** A cue that was cut from recognized lines. */
export interface SegmentedCue extends Range {
  readonly text: string;
  /** Indexes of the lines that its words come from, in order. */
  readonly lineIndexes: readonly number[];
}

interface Segmentation {
  /** Cues lie inside it. */
  readonly range: Range;
  readonly language: string;
  /** True if no cue may hold both of two consecutive units. */
  readonly isWall: (before: TimedUnit, after: TimedUnit) => boolean;
}

/**
 * The costs of a division, in the unit of `BREAK_COST`. A cue that is too fast to read costs more than any bad break. The numbers
 * are choices, without a measurement of the preferences of viewers.
 */
const COST = {
  cue: 4,
  innerSentence: 5,
  innerPause: 1,
  innerFullPause: 8,
  short: 3,
  shortCharacters: 12,
  unreadable: 200,
  /** More than any other: a cue does not end with the first words of a sentence that fits the next cue. */
  fragment: 100_000,
  /** More than a cue that is too fast: two speakers in one row cannot be told apart. */
  turnInRow: 1_000,
};

/** A new sentence has at least so many words in the cue that it begins in, unless it ends there. */
const FEWEST_WORDS = 4;

const charactersOf = ({ text }: TimedUnit): number => [...text].length;

/** The cost of the breaks inside of a cue, each with the cost of a division there: it should rather end there. */
function innerCost(before: TimedUnit, after: TimedUnit, cost: number): number {
  const pauseMs = after.startMs - before.endMs;
  if (pauseMs >= PAUSE.fullMs) return COST.innerFullPause;
  return cost === 0 ? COST.innerSentence : pauseMs >= PAUSE.longMs ? COST.innerPause : 0;
}

/** A unit as every cue that it may be in needs it. */
interface MeasuredUnit extends TimedUnit {
  readonly size: number;
  readonly characters: number;
  /** The break before the next unit: none behind the last one. */
  readonly break: { readonly cost: number; readonly inner: number; readonly isWall: boolean } | null;
  /** True if a sentence begins with it. */
  readonly isFirst: boolean;
  /** True if another speaker begins with it. */
  readonly isTurn: boolean;
}

/** Divides units into cues; each division is tried, and the cheapest wins. Units are in order of time. */
class Segmenter {
  readonly #units: MeasuredUnit[] = [];
  readonly #segmentation: Segmentation;
  readonly #shape: CueShape;
  readonly #costOf: BreakCost;

  constructor(segmentation: Segmentation) {
    this.#segmentation = segmentation;
    this.#shape = cueShapeOf(segmentation.language);
    this.#costOf = breakCosts(segmentation.language);
  }

  /** Takes the units. Each is measured once, however many cues it may be in. */
  *measure(units: readonly TimedUnit[]): Steps<void> {
    for (const [at, unit] of units.entries()) {
      const next = units[at + 1];
      const size = this.#shape.sizeOf(unit.text);
      const characters = charactersOf(unit);
      this.#units.push({
        ...unit,
        size,
        characters,
        break: next === undefined ? null : this.#breakBetween(unit, next),
        isFirst: at === 0 || sentenceEnd.test(units[at - 1]?.text ?? ''),
        isTurn: isTurn(units[at - 1], unit),
      });
      yield;
    }
  }

  #breakBetween(unit: TimedUnit, next: TimedUnit): MeasuredUnit['break'] {
    const cost = this.#costOf(unit, next);
    return { cost, inner: innerCost(unit, next, cost), isWall: this.#isWall(unit, next) };
  }

  /** The places at which cues begin, and after the last of them the number of units. */
  *places(): Steps<number[]> {
    const units = this.#units;
    const best: { readonly cost: number; readonly from: number }[] = [{ cost: 0, from: 0 }];
    for (let to = 1; to <= units.length; to += 1) {
      best.push(this.#cheapest(to, best));
      yield;
    }
    const places = [units.length];
    for (let place = units.length; place > 0; places.push(place)) place = best[place]?.from ?? 0;
    return places.reverse();
  }

  /**
   * The place where a sentence begins whose first words would end a cue before the unit at `to`. Null if the cue may end there, and if
   * the sentence does not fit a cue of its own.
   */
  #fragmentBefore(to: number): number | null {
    const units = this.#units;
    if (units[to] === undefined || units[to].isFirst || units[to - 1]?.break?.isWall === true) return null;
    let from = to - 1;
    while (from > to - FEWEST_WORDS && units[from]?.isFirst === false) from -= 1;
    const first = units[from];
    if (first === undefined || !first.isFirst || to - from >= FEWEST_WORDS) return null;
    return this.#sentenceFits(from) ? from : null;
  }

  /** True if the sentence that begins with a unit fits the rows and the longest time of a cue. */
  #sentenceFits(from: number): boolean {
    const space = this.#shape.sizeOf(' ');
    const startMs = this.#units[from]?.startMs ?? 0;
    const sum = { rows: 1, row: 0 };
    for (let at = from; ; at += 1) {
      const unit = this.#units[at];
      if (unit === undefined || (at > from && unit.isFirst)) return true;
      const isApart = at > from && this.#units[at - 1]?.break?.isWall === true;
      if (isApart || !unit.isSpaced || unit.endMs - startMs > this.#shape.maximumMs) return false;
      const beside = sum.row === 0 ? unit.size : sum.row + space + unit.size;
      if (fitsRow(beside)) sum.row = beside;
      else {
        sum.row = unit.size;
        sum.rows += 1;
      }
      if (sum.rows > this.#shape.rows) return false;
    }
  }

  /** The cheapest cue that ends before the unit at `to`, with all that comes before it. */
  #cheapest(to: number, best: readonly { readonly cost: number }[]): { readonly cost: number; readonly from: number } {
    const last = this.#units[to - 1];
    let found = { cost: Number.POSITIVE_INFINITY, from: to - 1 };
    const space = this.#shape.sizeOf(' ');
    const sum = { rows: 1, row: 0, characters: 0, inner: 0 };
    const fragment = this.#fragmentBefore(to);
    for (let from = to - 1; from >= 0; from -= 1) {
      const [unit, next] = [this.#units[from], from + 1 < to ? this.#units[from + 1] : undefined];
      if (unit === undefined || last === undefined) break;
      if (next !== undefined) {
        if (unit.break?.isWall === true || last.endMs - unit.startMs > this.#shape.maximumMs) break;
        sum.inner += next.isTurn ? this.#turnCost(from, to) : (unit.break?.inner ?? 0);
      }
      const { size } = unit;
      const beside = sum.row + size + (next?.isSpaced ? space : 0);
      const fits = sum.row === 0 || fitsRow(beside);
      sum.row = sum.row === 0 || !fits ? size : beside;
      if (!fits) sum.rows += 1;
      if (next !== undefined && sum.rows > this.#shape.rows) break;
      sum.characters += unit.characters + (next?.isSpaced ? 1 : 0);
      const cost = (best[from]?.cost ?? 0) + sum.inner + this.#cueCost(unit, to, sum.characters);
      const begins = fragment !== null && from < fragment ? COST.fragment : 0;
      if (cost + begins < found.cost) found = { cost: cost + begins, from };
    }
    return found;
  }

  /** The cost of two speakers in the cue of these units: none beside that of sentences if each has a row. */
  #turnCost(from: number, to: number): number {
    const turns = turnsOf(this.#units.slice(from, to));
    const areRows =
      turns.length <= this.#shape.rows &&
      turns.every((turn) => fitsRow(this.#shape.sizeOf(withDash(textOfUnits(turn)))));
    return areRows ? COST.innerSentence : COST.turnInRow;
  }

  #isWall(before: TimedUnit, after: TimedUnit): boolean {
    return after.startMs - before.endMs >= PAUSE.wallMs || this.#segmentation.isWall(before, after);
  }

  /** The latest that a cue may end whose last unit comes before `to`: in time for the next, and not beyond the range. */
  #latestEnd(startMs: number, to: number): number {
    const next = this.#units[to];
    const { range } = this.#segmentation;
    const room = next === undefined ? range.endMs : Math.min(range.endMs, next.startMs - this.#shape.gapMs);
    return Math.min(room, startMs + this.#shape.maximumMs);
  }

  #neededMs(characters: number): number {
    return Math.max(this.#shape.minimumMs, this.#shape.readingMs(characters));
  }

  #cueCost({ startMs }: TimedUnit, to: number, characters: number): number {
    const after = this.#units[to - 1]?.break ?? null;
    const missingMs = this.#neededMs(characters) - (this.#latestEnd(startMs, to) - startMs);
    const unreadable = missingMs > 0 ? COST.unreadable + missingMs : 0;
    const short = characters < COST.shortCharacters ? COST.short : 0;
    return COST.cue + unreadable + short + (after === null || after.isWall ? 0 : after.cost);
  }

  /** The cue of the units from one place to another, after a cue that ends at `reachedMs`; null before the first. */
  cueOf(from: number, to: number, reachedMs: number | null): SegmentedCue | null {
    const units = this.#units.slice(from, to);
    const [first, last] = [units[0], units.at(-1)];
    if (first === undefined || last === undefined) return null;
    const text = rowsOf(units, this.#shape, this.#costOf);
    const neededMs = this.#neededMs([...text.replaceAll('\n', '')].length);
    const { range } = this.#segmentation;
    const earliestMs = reachedMs === null ? range.startMs : reachedMs + this.#shape.gapMs;
    const spokenMs = Math.max(first.startMs, reachedMs ?? range.startMs);
    const latestMs = this.#latestEnd(spokenMs, to);
    const endMs = Math.max(Math.min(latestMs, Math.max(last.endMs, spokenMs + neededMs)), spokenMs + 1);
    // If there is no room behind the words, the cue comes before them.
    const startMs = Math.max(Math.min(spokenMs, endMs - neededMs), Math.min(spokenMs, earliestMs));
    return { startMs, endMs, text, lineIndexes: [...new Set(units.map(({ lineIndex }) => lineIndex))] };
  }
}

/**
 * Cues of recognized words, in order of time and apart. They are cut at the ends of sentences and phrases and at gaps in speech,
 * with at most two rows, each long enough to read. They keep the guidelines for their language wherever the words leave time for
 * it.
 */
export function* segmentedCues(units: readonly TimedUnit[], segmentation: Segmentation): Steps<SegmentedCue[]> {
  const segmenter = new Segmenter(segmentation);
  yield* segmenter.measure(units);
  const places = yield* segmenter.places();
  const cues: SegmentedCue[] = [];
  for (const [at, from] of places.slice(0, -1).entries()) {
    const cue = segmenter.cueOf(from, places[at + 1] ?? from, cues.at(-1)?.endMs ?? null);
    if (cue !== null) cues.push(cue);
    yield;
  }
  return cues;
}
