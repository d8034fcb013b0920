import { z } from 'zod';
import type { RawLine, RawRegion, RawWord } from '../../contract/recognition/raw-region.ts';
import { cleanText, meanOf, measureOf, shareOf } from './clean-text.ts';
import { RecognitionFailure } from './recognizer.ts';

const optionalNumber = z.number().nullish().catch(null);

const word = z.looseObject({
  word: z.string().nullish(),
  text: z.string().nullish(),
  start: optionalNumber,
  end: optionalNumber,
  probability: optionalNumber,
});

const segment = z.looseObject({
  text: z.string(),
  start: optionalNumber,
  end: optionalNumber,
  avg_logprob: optionalNumber,
  compression_ratio: optionalNumber,
  no_speech_prob: optionalNumber,
  words: z.array(word).nullish().catch(null),
});

/** As much of a transcription as is looked at. Servers leave most of it out; what is not there is null from then on. */
const transcription = z.looseObject({
  text: z.string().nullish(),
  language: z.string().nullish().catch(null),
  segments: z.array(segment).max(256).nullish(),
  words: z.array(word).max(4096).nullish().catch(null),
  logprobs: z
    .array(z.looseObject({ logprob: z.number() }))
    .max(16_384)
    .nullish()
    .catch(null),
});

type Segment = z.infer<typeof segment>;
type Word = z.infer<typeof word>;

const ms = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : Math.round(Math.min(Math.max(seconds, -3600), 3600) * 1000);

function wordOf({ word: said, text, start, end, probability }: Word): RawWord[] {
  const clean = cleanText(said ?? text ?? '');
  return clean === null ? [] : [{ text: clean, startMs: ms(start), endMs: ms(end), confidence: shareOf(probability) }];
}

/** Words of the whole answer that lie in a segment by their middle; for servers that list them beside the segments. */
function wordsWithin(words: readonly Word[], { start, end }: Segment): Word[] {
  if (start == null || end == null) return [];
  return words.filter((each) => {
    if (each.start == null || each.end == null) return false;
    const middle = (each.start + each.end) / 2;
    return start <= middle && middle < end;
  });
}

function meanConfidence(words: readonly RawWord[]): number | null {
  return shareOf(meanOf(words.flatMap(({ confidence }) => confidence ?? [])));
}

function lineOf(given: Segment, beside: readonly Word[]): RawLine[] {
  const text = cleanText(given.text);
  if (text === null) return [];
  const words = (given.words ?? wordsWithin(beside, given)).flatMap(wordOf);
  return [
    {
      text,
      startMs: ms(given.start),
      endMs: ms(given.end),
      words,
      measures: {
        confidence: meanConfidence(words),
        averageLogProbability: measureOf(given.avg_logprob),
        compressionRatio: measureOf(given.compression_ratio),
        noSpeechProbability: shareOf(given.no_speech_prob),
      },
    },
  ];
}

/** Whole texts without segments are one line over all that was heard, with the mean log-probability of its tokens. */
const wholeSegment = ({ text, words, logprobs }: z.infer<typeof transcription>): Segment => ({
  text: text ?? '',
  start: words?.[0]?.start ?? null,
  end: words?.at(-1)?.end ?? null,
  avg_logprob: meanOf((logprobs ?? []).map(({ logprob }) => logprob)),
  compression_ratio: null,
  no_speech_prob: null,
  words: words ?? [],
});

/** Reads the answer of a transcription server, verbose or not. Throws `RecognitionFailure`. */
export function transcribedRegion(body: unknown): RawRegion {
  const answer = transcription.safeParse(body);
  if (!answer.success) {
    const place = answer.error.issues[0]?.path.join('.') ?? '';
    throw new RecognitionFailure('invalid_output', `the answer has another shape at '${place}'`, answer.error);
  }
  const { language, segments, words } = answer.data;
  const beside = words ?? [];
  const given = segments != null && segments.length > 0 ? segments : [wholeSegment(answer.data)];
  const heard = language?.trim() ?? '';
  return {
    language: heard === '' || heard.length > 64 ? null : heard,
    lines: given.flatMap((each) => lineOf(each, beside)),
  };
}
