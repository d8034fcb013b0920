import type { Range } from '../contract/base/grammar.ts';
import {
  type EvidenceArtifact,
  type GateReason,
  gateReasons,
  type RecognisedRegionFact,
  type TranscriptLineFact,
} from '../contract/evidence/evidence.ts';
import type { AnalysisRequest } from '../contract/study/plan.ts';
import type { Steps } from '../formats/steps.ts';
import { baseLanguage, contradictsLanguage, LANGUAGE_GATE } from './languages.ts';
import { ruleSets } from './rule-sets.ts';
import { OTHER_LANGUAGE_PARAMETERS, otherLanguagesIn } from './spoken-language.ts';
import { meanOf } from './statistics.ts';
import { differsByAtMost, lettersOf, mostSpokenLength, spokenLength, tokensOf } from './text-comparison.ts';
import { hullOf, intersection, joined, spansAround, totalLengthOf } from './time-spans.ts';

/** The least likeness of a line in two runs, as one minus its word error rate against the longer of both. */
const AGREEMENT = 0.6;

/** True if two runs recognized the same. */
function agrees(text: string, second: string): boolean {
  const [one, other] = [tokensOf(text), tokensOf(second)];
  const longest = Math.max(one.length, other.length);
  let most = longest;
  while (1 - most / longest < AGREEMENT) most -= 1;
  return differsByAtMost(one, other, most);
}

/** Bits that a literal and a reference back take: what DEFLATE spends on them in ordinary prose, rounded. */
const COST = { literalBits: 6, referenceBits: 18, shortestReference: 4, headBits: 64 } as const;

/** The longest run that begins at one of the places, and that the bytes from `at` on repeat. */
function longestMatch(bytes: Uint8Array, at: number, places: readonly number[]): number {
  const most = bytes.length - at;
  let longest = 0;
  for (const from of places) {
    // One that is longer than the longest has its next byte, too.
    if (bytes[from + longest] !== bytes[at + longest]) continue;
    let length = 0;
    while (length < most && bytes[from + length] === bytes[at + length]) length += 1;
    if (length > longest) longest = length;
    if (longest === most) break;
  }
  return longest;
}

/**
 * The factor by which a text could be shorter with references to its earlier parts. Whisper uses this ratio of zlib. The estimate
 * here does not depend on a version of zlib, so that a stored verdict can be derived again anywhere.
 */
export function compressionRatioOf(text: string): number {
  const bytes = Buffer.from(text, 'utf8');
  // The places of each run that is as short as a reference may be.
  const places = new Map<number, number[]>();
  let bits: number = COST.headBits;
  for (let at = 0, next = 0; at < bytes.length; at += 1) {
    const run = at + COST.shortestReference <= bytes.length ? bytes.readUInt32LE(at) : null;
    const before = run === null ? [] : (places.get(run) ?? []);
    if (at === next) {
      const length = before.length === 0 ? 0 : longestMatch(bytes, at, before);
      bits += length > 0 ? COST.referenceBits : COST.literalBits;
      next += Math.max(1, length);
    }
    if (run !== null) places.set(run, before);
    before.push(at);
  }
  return (8 * bytes.length) / bits;
}

/**
 * The phrases that recognizers invent without speech if they were trained on subtitles of the web: the credits and the goodbyes
 * of those videos. Each is a plain fact that users of them have reported many times.
 */
export const INVENTED_PHRASES: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Thank you for watching',
    'Thanks for watching',
    'Please subscribe to my channel',
    "Don't forget to like and subscribe",
    'Like and subscribe',
    'See you in the next video',
    "I'll see you in the next one",
    'Subtitles by the Amara.org community',
    'Transcription by CastingWords',
    'Transcribed by https://otter.ai',
  ],
  de: [
    'Untertitel der Amara.org-Community',
    'Untertitel im Auftrag des ZDF für funk, 2017',
    'Untertitelung des ZDF, 2020',
    'Vielen Dank fürs Zuschauen',
    'Bis zum nächsten Mal',
  ],
  fr: [
    "Sous-titres réalisés par la communauté d'Amara.org",
    "Sous-titres réalisés para la communauté d'Amara.org",
    "Merci d'avoir regardé cette vidéo",
    "N'oubliez pas de vous abonner",
    'Sous-titrage Société Radio-Canada',
  ],
  es: [
    'Subtítulos realizados por la comunidad de Amara.org',
    'Subtítulos por la comunidad de Amara.org',
    'Gracias por ver el video',
    'Suscríbete al canal',
  ],
  it: [
    'Sottotitoli creati dalla comunità Amara.org',
    'Sottotitoli e revisione a cura di QTSS',
    'Grazie per la visione',
  ],
  pt: ['Legendas pela comunidade Amara.org', 'Obrigado por assistir', 'Inscreva-se no canal'],
  nl: ['Ondertitels ingediend door de Amara.org gemeenschap', 'Bedankt voor het kijken'],
  pl: ['Napisy stworzone przez społeczność Amara.org', 'Dziękuję za oglądanie'],
  ru: ['Субтитры сделал DimaTorzok', 'Субтитры создавал DimaTorzok', 'Спасибо за просмотр', 'Продолжение следует'],
  tr: ['Altyazı M.K.', 'İzlediğiniz için teşekkür ederim', 'Abone olmayı unutmayın'],
  ja: ['ご視聴ありがとうございました', '最後までご視聴ありがとうございました', 'チャンネル登録お願いします'],
  ko: ['시청해주셔서 감사합니다', '시청해 주셔서 감사합니다', '구독과 좋아요 부탁드립니다', 'MBC 뉴스 이덕영입니다'],
  zh: ['谢谢观看', '感謝觀看', '请不吝点赞 订阅 转发 打赏支持明镜与点点栏目', '字幕由Amara.org社区提供'],
  ar: ['ترجمة نانسي قنقر', 'شكرا للمشاهدة', 'اشتركوا في القناة'],
};

/**
 * The share of the letters of a line from which such phrases count as the line: more than half, so that they outweigh the rest.
 */
const INVENTED_SHARE = 0.6;

// Accents, and the dot of an i, differ by how a text was written and raised to capitals.
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll('ı', 'i')
    .normalize('NFKC');

const plain = (text: string): string => ` ${tokensOf(folded(text)).join(' ')} `;

const phrases = Object.values(INVENTED_PHRASES)
  .flat()
  .map((phrase) => ({ text: plain(phrase), letters: lettersOf(plain(phrase)).length }));

/** How many letters of a line lie in phrases; a letter in several of them counts once. */
function lettersWithin(line: string, said: readonly { readonly text: string }[]): number {
  const places = new Set<number>();
  for (const { text } of said) {
    for (let from = line.indexOf(text); from !== -1; from = line.indexOf(text, from + 1)) {
      for (let at = from; at < from + text.length; at += 1) places.add(at);
    }
  }
  return [...line.matchAll(/[\p{L}\p{N}]/gu)].filter(({ index }) => places.has(index)).length;
}

/**
 * True if a line is a known invention of recognizers, several phrases together. People say some of these too: a line of them
 * needs a second run with the same words.
 */
export function isKnownInvention(text: string): boolean {
  const line = plain(text);
  const said = phrases.filter((phrase) => line.includes(phrase.text));
  return said.length > 0 && lettersWithin(line, said) >= INVENTED_SHARE * lettersOf(line).length;
}

/**
 * The most repetitions in a row in a text: of a single word, a phrase, a whole line. People do say "no, no, no, no"; a recognizer
 * in a loop repeats itself until its buffer is full. The numbers are a choice between the two. The tests compare them with loops
 * that recognizers of the Whisper family are known for; no recording of speech was measured for them.
 */
const REPETITION_RULE = {
  words: 6,
  phrases: 3,
  longestPhrase: 12,
  lines: 3,
  linesOfFewWords: 6,
  fewWords: 2,
} as const;

/** How often the phrase of this length that begins here follows upon itself. */
function timesAt(tokens: readonly string[], start: number, length: number): number {
  let times = 1;
  for (;;) {
    const next = start + times * length;
    for (let at = 0; at < length; at += 1) if (tokens[next + at] !== tokens[start + at]) return times;
    times += 1;
    if (times > tokens.length) return times;
  }
}

/** True if a text repeats the same word or the same phrase too often in a row. */
export function repeatsItself(text: string): boolean {
  const tokens = tokensOf(text);
  const longest = Math.min(REPETITION_RULE.longestPhrase, Math.floor(tokens.length / REPETITION_RULE.phrases));
  for (let length = 1; length <= Math.max(1, longest); length += 1) {
    const allowed = length === 1 ? REPETITION_RULE.words : REPETITION_RULE.phrases;
    for (let start = 0; start + length * allowed <= tokens.length; start += 1) {
      if (timesAt(tokens, start, length) >= allowed) return true;
    }
  }
  return false;
}

/** True for each text that is in a too long row of equal ones. In steps, one for each text. */
export function* repeatedLines(texts: readonly string[]): Steps<boolean[]> {
  const keys: string[][] = [];
  for (const text of texts) {
    keys.push(tokensOf(text));
    yield;
  }
  const joined = keys.map((tokens) => tokens.join(' '));
  const isRepeated = texts.map(() => false);
  for (let start = 0; start < texts.length; ) {
    let end = start + 1;
    while (end < texts.length && joined[end] === joined[start]) end += 1;
    const isShort = (keys[start]?.length ?? 0) <= REPETITION_RULE.fewWords;
    if (end - start >= (isShort ? REPETITION_RULE.linesOfFewWords : REPETITION_RULE.lines))
      isRepeated.fill(true, start, end);
    start = end;
  }
  return isRepeated;
}

const inBrackets = /(?<![\p{L}\p{N}])(?:\[([^[\]]*)\]|\(([^()]*)\)|\*(?!\s)([^*]*)(?<!\s)\*)(?![\p{L}\p{N}])/gu;
const inWideBrackets = /[［【（]([^［【（］】）]*)[］】）]/gu;

/**
 * True if a text has notes of sounds, as recognizers write them: `[MUSIC PLAYING]`, `(laughs)`, `*coughs*` and `（笑）`. Brackets
 * within a word, as in `f(x)`, and those around a number do not count.
 */
function hasSoundNote(text: string): boolean {
  const notes = [...text.matchAll(inBrackets), ...text.matchAll(inWideBrackets)];
  return notes.some(([, ...within]) => /\p{L}/u.test(within.join('')));
}

/** True if a text is words alone: it has some, and no note of a sound that no detector has found. */
const isWordsAlone = (text: string): boolean => /[\p{L}\p{N}]/u.test(text) && !hasSoundNote(text);

/**
 * The detected speech that a line needs. At least half of its time: regions are padded by 200 ms on both sides, so that a word of
 * 400 ms still has half. Not more than 30 letters in a second of speech, which is faster than auctioneers speak (about 6 words a
 * second). Not fewer than one in a second of a line, which is slower than any speech.
 *
 * Words with times need four letters in a second of the speech that they fill. Recognizers stretch a short word over a whole
 * sound, and people do not: of 495 recorded phrases in eleven languages none is so slow (lab/docs/experiments.md). A line without
 * times of words has those of its segment, in which a speaker may pause, so this does not hold for it.
 */
const SPEECH_SUPPORT = {
  share: 0.5,
  lettersPerSecond: 30,
  fewestLettersPerSecond: 1,
  judgedMs: 2000,
  fewestOfWordsPerSecond: 4,
  judgedWordsMs: 600,
} as const;

/** How near to the edge of its region a line lies as a whole, in ms: the padding, and what detected edges err by. */
const BOUNDARY_MS = 300;

interface PlacedLine extends Range {
  readonly text: string;
  readonly words: readonly Range[];
}

/** The time that a line fills: that of its words if they have times. */
const timeOf = ({ startMs, endMs, words }: PlacedLine): Range[] => {
  const spoken = joined(words);
  return spoken.length > 0 ? spoken : joined([{ startMs, endMs }]);
};

/** True if detected speech (joined spans) carries a line: enough of its time, and enough time for its text. */
function isCarriedBySpeech(line: PlacedLine, speech: readonly Range[]): boolean {
  const time = timeOf(line);
  const lengthMs = totalLengthOf(time);
  const spokenMs = totalLengthOf(intersection(time, spansAround(hullOf(time), speech)));
  if (lengthMs === 0 || spokenMs < SPEECH_SUPPORT.share * lengthMs) return false;
  if (spokenLength(line.text) > (SPEECH_SUPPORT.lettersPerSecond * spokenMs) / 1000) return false;
  const letters = mostSpokenLength(line.text);
  const { fewestLettersPerSecond, judgedMs, fewestOfWordsPerSecond, judgedWordsMs } = SPEECH_SUPPORT;
  if (lengthMs >= judgedMs && letters < (fewestLettersPerSecond * lengthMs) / 1000) return false;
  const isSlow = letters < (fewestOfWordsPerSecond * spokenMs) / 1000;
  return !(line.words.length > 0 && isSlow && spokenMs >= judgedWordsMs);
}

/** True if a line lies at the first or the last edge of its region alone, while the region continues without it. */
function isAtBoundary(line: PlacedLine, region: Range): boolean {
  const time = timeOf(line);
  const startMs = time[0]?.startMs ?? line.startMs;
  const endMs = time.at(-1)?.endMs ?? line.endMs;
  if (region.endMs - region.startMs < 3 * BOUNDARY_MS) return false;
  return endMs <= region.startMs + BOUNDARY_MS || startMs >= region.endMs - BOUNDARY_MS;
}

/**
 * The values below which a recognizer doubts its own line. At this log-probability and compression Whisper itself gives a text up
 * (`logprob_threshold` −1.0, `compression_ratio_threshold` 2.4). The mean confidence of words was set with pocketsphinx on 60
 * sentences of one synthetic voice, and it withholds one of 48 right lines there. It was not tried on sentences kept apart from
 * those.
 *
 * A line of at most `shortWords` words is judged by the mean of its words alone, at `wordsOfShort`. A single token rules the
 * log-probability of so few. This was measured on 100 short lines of four synthetic voices, one also with noise (Whisper tiny.en through
 * whisper-cli). It withholds 2 of 86 right lines and 3 of 14 wrong ones. With commas and stops in the means, and with the other
 * limits, it was 10 and 3.
 */
const CONFIDENCE_RULE = {
  words: 0.5,
  averageLogProbability: -1,
  compressionRatio: 2.4,
  shortWords: 3,
  wordsOfShort: 0.4,
} as const;

/** Every threshold of the gates, as a transcript states it among its parameters. */
export const GATE_PARAMETERS: EvidenceArtifact['parameters'] = {
  gates: ruleSets.transcriptGates.version,
  speechShare: SPEECH_SUPPORT.share,
  mostLettersPerSecond: SPEECH_SUPPORT.lettersPerSecond,
  fewestLettersPerSecond: SPEECH_SUPPORT.fewestLettersPerSecond,
  fewestLettersOfWordsPerSecond: SPEECH_SUPPORT.fewestOfWordsPerSecond,
  judgedWordsMs: SPEECH_SUPPORT.judgedWordsMs,
  repeatedWords: REPETITION_RULE.words,
  repeatedPhrases: REPETITION_RULE.phrases,
  repeatedLines: REPETITION_RULE.lines,
  wordConfidence: CONFIDENCE_RULE.words,
  shortLineWords: CONFIDENCE_RULE.shortWords,
  wordConfidenceOfShortLines: CONFIDENCE_RULE.wordsOfShort,
  averageLogProbability: CONFIDENCE_RULE.averageLogProbability,
  compressionRatio: CONFIDENCE_RULE.compressionRatio,
  inventedShare: INVENTED_SHARE,
  identifiedLetters: LANGUAGE_GATE.identifiedLetters,
  foreignShare: LANGUAGE_GATE.foreignShare,
  boundaryMs: BOUNDARY_MS,
  agreement: AGREEMENT,
  ...OTHER_LANGUAGE_PARAMETERS,
};

/** A line as a recognizer gave it, before it was judged. */
export type RecognizedLine = Omit<TranscriptLineFact, 'outcome' | 'reasonCodes'>;

/** The basis for judging the lines of a transcript. */
export interface GateEvidence {
  /** The speech that the study itself detected, joined. */
  readonly speech: readonly Range[];
  /** By the index of the region: its range, the language that the recognizer stated for it, and the one that it heard. */
  readonly regions: readonly (Range & Pick<RecognisedRegionFact, 'language' | 'spoken'>)[];
  /** Base codes of the declared languages; empty if none is declared. */
  readonly languages: readonly string[];
  /** Base code of the language that the recognizer was told to write; null or absent if it was told none. */
  readonly asked?: string | null;
  /**
   * The least mean confidence of all words of the transcript, as its recognizer states it in `voiceConfidence` of its parameters. Below
   * it the recognizer does not understand the voice, and is wrong about as often where it is sure. Null or absent for one that
   * states none.
   */
  readonly voiceConfidence?: number | null;
}

/** The base codes of the languages that a study declares its source to be in. */
export function declaredLanguages({ language }: Pick<AnalysisRequest, 'language'>): string[] {
  const { mode, languages } = language.languagePair.requestedSource;
  if (mode !== 'declared' && mode !== 'mixed') return [];
  return languages.flatMap((tag) => baseLanguage(tag) ?? []);
}

/**
 * The base code of the language that the recognizer of a transcript was told to write. It is the wished one, which its parameters state, or
 * else the one declared language. Null if it was told none.
 */
export function askedLanguageIn(
  { parameters: { askedLanguage } }: Pick<EvidenceArtifact, 'parameters'>,
  declared: readonly string[],
): string | null {
  if (typeof askedLanguage === 'string') return askedLanguage;
  const [language, ...others] = declared;
  return others.length > 0 ? null : (language ?? null);
}

/** The confidences of words that are more than marks. */
const confidencesOf = (words: RecognizedLine['words']): number[] =>
  words.flatMap(({ text, confidence }) => (/[\p{L}\p{N}]/u.test(text) && confidence !== null ? [confidence] : []));

/** The mean confidence of the words of a short line; null for a longer line, and if a word of it states none. */
function confidenceOfShort({ text, words }: RecognizedLine): number | null {
  const tokens = tokensOf(text).length;
  const stated = confidencesOf(words);
  const isShort = tokens <= CONFIDENCE_RULE.shortWords && stated.length >= tokens;
  return isShort ? meanOf(stated) : null;
}

/** True if a recognizer doubts its own line by what it measured. */
function isBelowLimits(line: RecognizedLine): boolean {
  const short = confidenceOfShort(line);
  if (short !== null) return short < CONFIDENCE_RULE.wordsOfShort;
  const { confidence, averageLogProbability } = line.measures;
  if (confidence !== null && confidence < CONFIDENCE_RULE.words) return true;
  return averageLogProbability !== null && averageLogProbability < CONFIDENCE_RULE.averageLogProbability;
}

/** True if a recognizer is so unsure of a whole transcript that its confidence in single lines says nothing. */
function isVoiceUnknown(lines: readonly RecognizedLine[], voiceConfidence: number | null | undefined): boolean {
  if (voiceConfidence == null) return false;
  const mean = meanOf(lines.flatMap(({ words }) => confidencesOf(words)));
  return mean !== null && mean < voiceConfidence;
}

function isDoubted(line: RecognizedLine): boolean {
  const { text, second } = line;
  if (isBelowLimits(line)) return true;
  // The confidence of a recognizer in its known inventions is worthless.
  return isKnownInvention(text) && (second === null || !agrees(text, second));
}

/** What the other lines of a transcript tell of one. */
interface AmongOthers {
  readonly isRepeated: boolean;
  readonly isVoiceUnknown: boolean;
  /** True if the region of the line is in another language than the asked one. */
  readonly isOtherLanguage: boolean;
}

function reasonsOf(line: RecognizedLine, others: AmongOthers, evidence: GateEvidence): GateReason[] {
  const { text, measures, identified, second } = line;
  const region = evidence.regions[line.regionIndex];
  const recognized = region?.language ?? null;
  const ratio = Math.max(measures.compressionRatio ?? 0, compressionRatioOf(text));
  const closes: Readonly<Record<GateReason, boolean>> = {
    no_speech_evidence: !isCarriedBySpeech(line, evidence.speech) || !isWordsAlone(text),
    repetition: others.isRepeated || repeatsItself(text),
    low_confidence: others.isVoiceUnknown || isDoubted(line),
    compression: ratio > CONFIDENCE_RULE.compressionRatio,
    language_mismatch:
      others.isOtherLanguage || contradictsLanguage(text, evidence.languages, { identified, recognized }),
    boundary_only: region === undefined || isAtBoundary(line, region),
    disagreement: second !== null && !agrees(text, second),
  };
  return gateReasons.filter((reason) => closes[reason]);
}

/**
 * Judges the lines of a transcript, in their order: each passes every gate, or is withheld with the reasons of those that it does not.
 * In steps, one or two for each line.
 */
export function* gatedLines(lines: readonly RecognizedLine[], evidence: GateEvidence): Steps<TranscriptLineFact[]> {
  const repeated = yield* repeatedLines(lines.map(({ text }) => text));
  const isUnknown = isVoiceUnknown(lines, evidence.voiceConfidence);
  const otherLanguages = otherLanguagesIn(evidence.regions, evidence.asked ?? null);
  const judged: TranscriptLineFact[] = [];
  for (const [at, line] of lines.entries()) {
    const others = {
      isRepeated: repeated[at] ?? false,
      isVoiceUnknown: isUnknown,
      isOtherLanguage: (otherLanguages[line.regionIndex] ?? null) !== null,
    };
    const reasonCodes = reasonsOf(line, others, evidence);
    judged.push({ ...line, outcome: reasonCodes.length === 0 ? 'passed' : 'withheld', reasonCodes });
    yield;
  }
  return judged;
}
