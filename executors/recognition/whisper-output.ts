import { z } from 'zod';
import type { RawLine, RawRegion, RawWord } from '../../contract/recognition/raw-region.ts';
import { cleanText, meanOf, measureOf, shareOf } from './clean-text.ts';
import { RecognitionFailure } from './recognizer.ts';

const offsets = z.looseObject({ from: z.number().int(), to: z.number().int() });

const token = z.looseObject({ text: z.string(), offsets: offsets.nullish(), p: z.number() });

const output = z.looseObject({
  result: z.looseObject({ language: z.string().nullish() }).nullish(),
  transcription: z.array(z.looseObject({ offsets, text: z.string(), tokens: z.array(token).nullish() })).max(256),
});

type Token = z.infer<typeof token>;
type Segment = z.infer<typeof output>['transcription'][number];

// Marks of time and of the ends of texts stand among the tokens, as `[_BEG_]` and `[_TT_150]`.
const MARK = /^\[_.*\]$/;

/** Tokens that belong together: each word begins with a space. Half a character is no text: then there are no words. */
function wordsOf(tokens: readonly Token[]): RawWord[] {
  if (tokens.some(({ text }) => text.includes('\uFFFD'))) return [];
  const groups: Token[][] = [];
  for (const each of tokens) {
    if (groups.length === 0 || each.text.startsWith(' ')) groups.push([]);
    groups.at(-1)?.push(each);
  }
  return groups.flatMap((group) => {
    const text = cleanText(group.map((each) => each.text).join(''));
    if (text === null) return [];
    const startMs = group[0]?.offsets?.from ?? null;
    const endMs = group.at(-1)?.offsets?.to ?? null;
    return [{ text, startMs, endMs, confidence: shareOf(meanOf(group.map(({ p }) => p))) }];
  });
}

const LEAST = 1e-6;

function lineOf({ text: given, offsets: at, tokens }: Segment): RawLine[] {
  const text = cleanText(given);
  if (text === null) return [];
  const said = (tokens ?? []).filter((each) => !MARK.test(each.text));
  return [
    {
      text,
      startMs: at.from,
      endMs: at.to,
      words: wordsOf(said),
      measures: {
        confidence: shareOf(meanOf(said.map(({ p }) => p))),
        averageLogProbability: measureOf(meanOf(said.map(({ p }) => Math.log(Math.max(p, LEAST))))),
        compressionRatio: null,
        noSpeechProbability: null,
      },
    },
  ];
}

/** Reads the JSON that `whisper-cli -ojf` writes. Throws `RecognitionFailure`. */
export function whisperRegion(json: string): RawRegion {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new RecognitionFailure('invalid_output', 'the result is not JSON', error);
  }
  const found = output.safeParse(value);
  if (!found.success) {
    const place = found.error.issues[0]?.path.join('.') ?? '';
    throw new RecognitionFailure('invalid_output', `the result has another shape at '${place}'`, found.error);
  }
  const heard = found.data.result?.language?.trim() ?? '';
  return {
    language: heard === '' || heard.length > 64 ? null : heard,
    lines: found.data.transcription.flatMap(lineOf),
  };
}
