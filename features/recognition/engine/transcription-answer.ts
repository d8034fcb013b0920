import { z } from 'zod';
import { withSaid } from '../../../contract/causes/engine-failures.ts';
import type { HeardLanguage, RawLine, RawRegion } from '../../../contract/recognition.ts';
import { refusedIn } from '../../../executors/model-server/hosted-provider.ts';
import { demandSpoken, RecognitionFailure, spokenIn } from '../../../executors/recognition/recognizer.ts';
import { areOneLanguage, recognizedLanguageCode } from '../../../rules/languages.ts';
import { meanOf } from '../../../rules/statistics.ts';
import { cleanText, measureOf, probabilityOf, statedLanguage } from './engine-answer.ts';
import { heardIn, joinedWords, type WordPiece } from './word-pieces.ts';

const optionalNumber = z.number().nullish().catch(null);

const word = z.looseObject({
  word: z.string().nullish(),
  text: z.string().nullish(),
  start: optionalNumber,
  end: optionalNumber,
  probability: optionalNumber,
});

/** A list of at most so many items: a longer one is refused before its items are looked at. */
const listOf = <Item extends z.ZodType>(item: Item, most: number) => z.array(z.unknown()).max(most).pipe(z.array(item));

/** No region has so many words. */
const mostWords = 4096;

const segment = z.looseObject({
  text: z.string(),
  start: optionalNumber,
  end: optionalNumber,
  avg_logprob: optionalNumber,
  compression_ratio: optionalNumber,
  no_speech_prob: optionalNumber,
  // Counted before they are read: the words of all segments together have a bound.
  words: z.array(z.unknown()).nullish().catch(null),
});

/**
 * The segments of faster-whisper as lists, which some servers write (`Segment` in `transcribe.py`). They begin with number, seek, start, end,
 * text and tokens. The measures and the words follow. Before version 1.1 the temperature is in front of them, and since then behind.
 */
function fromList(given: unknown): unknown {
  if (!Array.isArray(given) || given.length < 6) return given;
  const [, , start, end, text] = given;
  const at = given.length > 10 && !isWords(given[9]) ? 10 : 9;
  const [avg_logprob, compression_ratio, no_speech_prob] = given.slice(at - 3, at);
  return { start, end, text, avg_logprob, compression_ratio, no_speech_prob, words: given[at] };
}

const isWords = (value: unknown): boolean => value === null || Array.isArray(value);

/** A word as a list: start, end, text, probability. */
function wordFromList(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  const [start, end, text, probability] = given;
  return { start, end, word: text, probability };
}

const readSegment = segment.extend({ words: z.array(z.preprocess(wordFromList, word)).nullish().catch(null) });

/**
 * As much of a transcription as is looked at. Servers leave most of it out; what is not there is null from then on. Some report an
 * error with status 200, which has neither a text nor segments. It must not pass for speech without words.
 */
const transcription = z
  .looseObject({
    text: z.string().nullish(),
    language: z.string().nullish().catch(null),
    segments: listOf(z.preprocess(fromList, segment), 256).nullish(),
    words: listOf(word, mostWords).nullish().catch(null),
    logprobs: listOf(z.looseObject({ logprob: z.number() }), 16_384)
      .nullish()
      .catch(null),
  })
  .refine(({ text, segments }) => text !== undefined || segments !== undefined, { path: ['text'] });

type Transcription = z.infer<typeof transcription>;
type Word = z.infer<typeof word>;
type Segment = z.infer<typeof readSegment>;

const ms = (seconds: number | null | undefined): number | null => (seconds == null ? null : Math.round(seconds * 1000));

/**
 * The times that an answer may have. Whisper fills sound up to a window of 30 s with silence, and counts time in steps of 20 ms.
 * The source is Radford et al., *Robust Speech Recognition via Large-Scale Weak Supervision*, 2022. So a time may lie past the sound
 * by the window, and go back by a step. A word may lie beside its segment by the padding of a region; the number is a choice.
 */
export const ANSWER_TIMES = { windowMs: 30_000, stepMs: 20, wordsBesideMs: 200 } as const;

/** Units in which servers count seconds, as parts of one; the coarsest first. */
const units = { hundredths: 100, milliseconds: 1e3, microseconds: 1e6, nanoseconds: 1e9 } as const;

type Timed = Pick<Segment, 'start' | 'end'>;

/** The first time of a list, in the order of the answer, that cannot be in a sound of this length; null if all can. */
function timeFault(what: 'segment' | 'word', timed: readonly Timed[], seconds: number): string | null {
  const { windowMs, stepMs } = ANSWER_TIMES;
  let latest = { number: 0, start: 0 };
  for (const [at, { start, end }] of timed.entries()) {
    const named = `${what} ${at + 1}`;
    for (const [verb, time] of [['begins', start] as const, ['ends', end] as const]) {
      const timeMs = ms(time);
      if (time == null || timeMs === null || (timeMs >= -stepMs && timeMs <= 1000 * seconds + windowMs)) continue;
      const unit = Object.entries(units).find(([, parts]) => time > 0 && time / parts <= seconds + 1)?.[0];
      const guess = unit === undefined ? '' : `, as if the server counted in ${unit}`;
      return `${named} ${verb} at ${time} s of ${seconds.toFixed(1)} s of sound${guess}`;
    }
    if (start == null) continue;
    if (goesBack(start, end)) return `${named} begins at ${start} s and ends at ${end} s`;
    if (goesBack(latest.start, start))
      return `${named} begins at ${start} s, and ${what} ${latest.number} before it at ${latest.start} s`;
    if (start > latest.start) latest = { number: at + 1, start };
  }
  return null;
}

/** True if a time lies before an earlier one by more than a step. Compared in ms, in which 2.5 s and 2.48 s differ by a step. */
const goesBack = (earlier: number, later: number | null | undefined): boolean =>
  later != null && (ms(earlier) ?? 0) - (ms(later) ?? 0) > ANSWER_TIMES.stepMs;

/** True if every word with times lies in its segment, or beside it by no more than it may. */
function liesIn({ start, end, words }: Segment): boolean {
  const beside = ANSWER_TIMES.wordsBesideMs / 1000;
  return (words ?? []).every(
    (each) =>
      (start == null || each.start == null || each.start >= start - beside) &&
      (end == null || each.end == null || each.end <= end + beside),
  );
}

/** True if words are most of a text, by their letters: the times of fewer are not those of the whole. */
const areMostOf = (words: readonly Word[], text: string): boolean =>
  2 * words.reduce((sum, { word: said, text: written }) => sum + lettersIn(said ?? written ?? ''), 0) >=
  lettersIn(text);

const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/**
 * The segments of an answer with the words of each. Words that cannot be, or that lie elsewhere than their segments, count as absent:
 * the segments are the lines. Throws `RecognitionFailure` if the times of the segments themselves cannot be.
 */
function placedSegments(answer: Transcription, seconds: number): Segment[] {
  const { segments: given, words } = answer;
  const nested = given?.reduce((sum, each) => sum + (each.words?.length ?? 0), 0) ?? 0;
  demandSpoken(seconds, 'words', nested);
  const segments = given?.map((each) => readSegment.parse(each));
  if (segments === undefined || segments.length === 0) {
    const whole = wholeSegment(answer);
    const fault = timeFault('word', whole.words ?? [], seconds);
    if (fault !== null) throw impossible(fault);
    return [whole];
  }
  const fault = timeFault('segment', segments, seconds);
  if (fault !== null) throw impossible(fault);
  const free = new Set(words ?? []);
  const within = segments.map((each) => ({ ...each, words: each.words ?? takenWords(free, each) }));
  const agree = within.every((each) => liesIn(each) && timeFault('word', each.words, seconds) === null);
  return agree && timeFault('word', words ?? [], seconds) === null
    ? within
    : within.map((each) => ({ ...each, words: [] }));
}

const impossible = (fault: string): RecognitionFailure =>
  new RecognitionFailure(
    'invalid_output',
    `times of the answer cannot be: ${fault}; correct the server, or use another`,
  );

/** A word or a part of one, as the server gave it: the space in front shows where a word begins. */
const pieceOf = ({ word: said, text, start, end, probability }: Word): WordPiece => ({
  text: said ?? text ?? '',
  startMs: ms(start),
  endMs: ms(end),
  probability: probability ?? null,
});

/**
 * Takes the words of the whole answer that lie in a segment by their middle; for servers that list them beside the segments. Where
 * segments overlap, the first has the word: with it in each, a small answer would have a million.
 */
function takenWords(free: Set<Word>, { start, end }: Segment): Word[] {
  if (start == null || end == null) return [];
  const taken = [...free].filter((each) => {
    if (each.start == null || each.end == null) return false;
    const middle = (each.start + each.end) / 2;
    return start <= middle && middle < end;
  });
  for (const each of taken) free.delete(each);
  return taken;
}

const meanConfidence = (pieces: readonly WordPiece[]): number | null =>
  probabilityOf(meanOf(heardIn(pieces).flatMap(({ probability }) => probabilityOf(probability) ?? [])));

const least = 1e-6;

/** The mean log-probability of tokens without marks, which rule that of a short line; null if a token has none. */
function meanLogProbability(pieces: readonly WordPiece[]): number | null {
  const heard = heardIn(pieces).map(({ probability }) => probability);
  if (heard.some((probability) => probability === null)) return null;
  return meanOf(heard.map((probability) => Math.log(Math.max(probability ?? 0, least))));
}

function lineOf(given: Segment, areTokens: boolean): RawLine[] {
  const text = cleanText(given.text);
  if (text === null) return [];
  const pieces = (given.words ?? []).map(pieceOf);
  return [
    {
      text,
      startMs: ms(given.start),
      endMs: ms(given.end),
      words: joinedWords(pieces, given.text, areTokens),
      measures: {
        confidence: meanConfidence(pieces),
        averageLogProbability: measureOf((areTokens ? meanLogProbability(pieces) : null) ?? given.avg_logprob),
        compressionRatio: measureOf(given.compression_ratio),
        noSpeechProbability: probabilityOf(given.no_speech_prob),
      },
    },
  ];
}

/** Whole texts without segments are one line over the whole sound, with the mean log-probability of its tokens. */
function wholeSegment({ text, words: given, logprobs }: Transcription): Segment {
  const words = given != null && areMostOf(given, text ?? '') ? given : [];
  return {
    text: text ?? '',
    start: words[0]?.start ?? null,
    end: words.at(-1)?.end ?? null,
    avg_logprob: meanOf((logprobs ?? []).map(({ logprob }) => logprob)),
    compression_ratio: null,
    no_speech_prob: null,
    words,
  };
}

/** How an answer is read. */
interface AnswerReading {
  /** The length of the sound. */
  readonly seconds: number;
  readonly apiKey: string | null;
  /** True for a server whose words are the tokens of its model. */
  readonly areTokens: boolean;
}

/** Reads the answer of a transcription server, verbose or not. Throws `RecognitionFailure`. */
export function transcribedRegion(body: unknown, { seconds, apiKey, areTokens }: AnswerReading): RawRegion {
  const answer = transcription.safeParse(body);
  if (!answer.success) {
    const refused = refusedIn(body, apiKey);
    const place = answer.error.issues[0]?.path.join('.') ?? '';
    if (refused === null)
      throw new RecognitionFailure('invalid_output', `the answer has another shape at '${place}'`, answer.error);
    const detail = withSaid('the answer is an error', refused.message);
    throw new RecognitionFailure('invalid_output', detail, answer.error, 'engine_error');
  }
  return spokenIn(seconds, {
    language: statedLanguage(answer.data.language),
    lines: placedSegments(answer.data, seconds).flatMap((each) => lineOf(each, areTokens)),
  });
}

/** The server of whisper.cpp has the probability of each language by its code, and leaves out those below 0.001. */
const statedLanguages = z.looseObject({
  language: z.string().nullish().catch(null),
  language_code: z.string().nullish().catch(null),
  detected_language: z.string().nullish().catch(null),
  language_probabilities: z.record(z.string(), z.number()).nullish().catch(null),
});

/**
 * Reads the language of an answer, null for a word that is no language. `asked` is the base code of the one that was asked for. Throws
 * `RecognitionFailure`.
 */
export function languageAnswer(body: unknown, asked: string | null): HeardLanguage | null {
  const answer = statedLanguages.safeParse(body);
  if (!answer.success) throw new RecognitionFailure('invalid_output', 'the answer is no object', answer.error);
  const { language: stated, language_code, detected_language, language_probabilities: probabilities } = answer.data;
  const word = language_code ?? detected_language ?? stated ?? null;
  const language = word === null ? null : recognizedLanguageCode(word);
  if (language === null) return null;
  const of = (code: string): number | null =>
    probabilities == null
      ? null
      : probabilityOf(
          Object.entries(probabilities)
            .filter(([each]) => areOneLanguage(recognizedLanguageCode(each) ?? '', code))
            .reduce((sum, [, probability]) => sum + probability, 0),
        );
  return { language, probability: of(language), asked: asked === null ? null : of(asked) };
}
