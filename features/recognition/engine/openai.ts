import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../contract/base/clock.ts';
import { withSaid } from '../../../contract/causes/engine-failures.ts';
import type { RawLine, RawRegion, RawWord } from '../../../contract/recognition.ts';
import { servedLanguages } from '../../../contract/served-languages.ts';
import {
  boundedFetch,
  type HostedProvider,
  inTime,
  keyEcho,
  ModelFailure,
  patiently,
  type Refused,
  refusedIn,
  wireOf,
} from '../../../executors/model-server/hosted-provider.ts';
import {
  ANSWER_TEXT,
  demandSpoken,
  RecognitionFailure,
  type Recognizer,
  type RegionSound,
  secondsOf,
  spokenIn,
} from '../../../executors/recognition/recognizer.ts';
import { meanOf } from '../../../rules/statistics.ts';
import { cleanText, measureOf, probabilityOf, statedLanguage, WHISPER_BEAM, waveFile } from './engine-answer.ts';

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

const readSegment = segment.extend({ words: z.array(word).nullish().catch(null) });

/**
 * As much of a transcription as is looked at. Servers leave most of it out; what is not there is null from then on. Some report an
 * error with status 200, which has neither a text nor segments. It must not pass for speech without words.
 */
const transcription = z
  .looseObject({
    text: z.string().nullish(),
    language: z.string().nullish().catch(null),
    segments: listOf(segment, 256).nullish(),
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
const ANSWER_TIMES = { windowMs: 30_000, stepMs: 20, wordsBesideMs: 200 } as const;

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

function wordOf({ word: said, text, start, end, probability }: Word): RawWord[] {
  const clean = cleanText(said ?? text ?? '');
  return clean === null
    ? []
    : [{ text: clean, startMs: ms(start), endMs: ms(end), confidence: probabilityOf(probability) }];
}

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

function meanConfidence(words: readonly RawWord[]): number | null {
  return probabilityOf(meanOf(words.flatMap(({ confidence }) => confidence ?? [])));
}

function lineOf(given: Segment): RawLine[] {
  const text = cleanText(given.text);
  if (text === null) return [];
  const words = (given.words ?? []).flatMap(wordOf);
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

/** Reads the answer of a transcription server, verbose or not. Throws `RecognitionFailure`. */
function transcribedRegion(body: unknown, seconds: number, apiKey: string | null): RawRegion {
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
    lines: placedSegments(answer.data, seconds).flatMap(lineOf),
  });
}

/** The format of a server's answers; the models after Whisper know `json` alone, which has no times. */
export const responseFormats = ['verbose_json', 'json'] as const;

export type ResponseFormat = (typeof responseFormats)[number];

interface OpenaiRecognizerOptions {
  readonly provider: HostedProvider;
  readonly model: string;
  readonly responseFormat: ResponseFormat;
  readonly clock: Clock;
  /** The longest wait in ms, for one region, until a server that refuses for now takes it; by default none. */
  readonly patienceMs?: number;
}

/**
 * One request may take so long, and longer with a long sound: a large model takes 100 s of two cores for a window. Its answer may be so
 * large. The numbers are a choice.
 */
export const TRANSCRIPTION_LIMITS = {
  maxWallMs: 120_000,
  wallMsPerSecond: 12_000,
  maxResponseBytes: 1024 * 1024,
} as const;

interface Settings {
  readonly temperature: number;
  readonly responseFormat: ResponseFormat;
  readonly prompt: 'none';
  /** The requested times. */
  readonly granularities?: string;
  /** The hypotheses that Whisper follows at once; only for servers on this machine, since others refuse a field that they do not know. */
  readonly beam?: number;
  /** The requested fields beside the text: without segments, the log-probabilities are those of its tokens. */
  readonly include?: string;
}

const SETTINGS: Readonly<Record<ResponseFormat, Settings>> = {
  verbose_json: { temperature: 0, responseFormat: 'verbose_json', granularities: 'segment,word', prompt: 'none' },
  json: { temperature: 0, responseFormat: 'json', include: 'logprobs', prompt: 'none' },
};

function formOf({ samples, language }: RegionSound, model: string, settings: Settings): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(waveFile(samples))], { type: 'audio/wav' }), 'region.wav');
  form.set('model', model);
  form.set('temperature', String(settings.temperature));
  form.set('response_format', settings.responseFormat);
  for (const each of settings.granularities?.split(',') ?? []) form.append('timestamp_granularities[]', each);
  if (settings.include !== undefined) form.append('include[]', settings.include);
  if (settings.beam !== undefined) form.set('beam_size', String(settings.beam));
  if (language !== null) form.set('language', language);
  return form;
}

/** Words of servers about a request, beside the status of their refusal. They are the wire of others, and differ. */
const refusalWords = {
  format: /response_format|verbose_json|timestamp_granularit/i,
  model: /\bmodels?\b/i,
  language: /\blanguages?\b/i,
} as const;

/** The cause of a refusal by the words of the server; undefined if its status says all. */
function refusedFor(status: number, refused: Refused, { responseFormat }: Settings, language: string | null) {
  const words = Object.values(refused).join(' ');
  const isOfForm = status === 400 || status === 422;
  if (responseFormat === 'verbose_json' && isOfForm && refusalWords.format.test(words)) return 'engine_format_refused';
  const isOfModel = status === 404 && refusalWords.model.test(words);
  if (isOfModel || refused.code === 'model_not_found') return 'engine_model_missing';
  const isOfLanguage = (isOfForm || status === 500) && refusalWords.language.test(words);
  return isOfLanguage && language !== null ? 'engine_language_unknown' : undefined;
}

const nothingSaid: Refused = { message: null, code: null, param: null };

async function refusalOf(
  response: Response,
  settings: Settings,
  { language }: RegionSound,
): Promise<RecognitionFailure> {
  const { status } = response;
  const refused = refusedIn(await response.text(), null) ?? nothingSaid;
  const isAboutForm = settings.responseFormat === 'verbose_json' && (status === 400 || status === 422);
  const advice =
    isAboutForm && refused.message === null
      ? '; a model without times needs --semantic-recognizer-response-format json'
      : '';
  const detail = withSaid(`the server refused the request${advice}`, refused.message);
  return new RecognitionFailure(`http_${status}`, detail, response, refusedFor(status, refused, settings, language));
}

function failureOf(error: unknown): RecognitionFailure {
  if (error instanceof RecognitionFailure) return error;
  for (let each = error; each instanceof Error; each = each.cause) {
    if (!(each instanceof ModelFailure)) continue;
    if (each.code === 'redirected') return new RecognitionFailure('redirected', 'the server answered with a redirect');
    return new RecognitionFailure('too_large', `the answer passes ${TRANSCRIPTION_LIMITS.maxResponseBytes} bytes`);
  }
  return new RecognitionFailure('unreachable', 'no connection, or none that lasted to the end of the answer', error);
}

function parsed(text: string, type: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const code = wireOf(text, type);
    throw new RecognitionFailure('invalid_output', 'the answer is not JSON', error, code ?? undefined);
  }
}

/**
 * A recognizer behind the transcription interface of OpenAI, on this machine or behind https. Each region is one request without
 * a prompt, and a region that the server has taken is never sent again. Its identity cannot be seen from here: its digest is that of
 * its address and the name of the model.
 */
export function openOpenaiRecognizer(options: OpenaiRecognizerOptions): Recognizer {
  const { provider, model, clock, patienceMs = 0 } = options;
  const settings: Settings = {
    ...SETTINGS[options.responseFormat],
    ...(provider.isLocal && options.responseFormat === 'verbose_json' ? { beam: WHISPER_BEAM } : {}),
  };
  const { maxResponseBytes } = TRANSCRIPTION_LIMITS;
  const send = boundedFetch({ apiKey: provider.apiKey, maximumBytes: maxResponseBytes });
  const holdsKey = provider.apiKey === null ? () => false : keyEcho(provider.apiKey);
  const named = createHash('sha256')
    .update(JSON.stringify({ baseUrl: provider.baseUrl, model }))
    .digest('hex');

  const ask = async (sound: RegionSound, signal: AbortSignal): Promise<unknown> => {
    const url = `${provider.baseUrl}/audio/transcriptions`;
    const response = await send(url, { method: 'POST', body: formOf(sound, model, settings), signal });
    if (!response.ok) throw await refusalOf(response, settings, sound);
    return parsed(await response.text(), response.headers.get('content-type') ?? '');
  };

  const heard = (body: unknown, seconds: number): RawRegion => {
    const region = transcribedRegion(body, seconds, provider.apiKey);
    // All that is kept of the answer.
    if (holdsKey(JSON.stringify(region))) throw new RecognitionFailure('invalid_output', 'the answer repeats the key');
    return region;
  };

  const once = (sound: RegionSound, signal: AbortSignal): Promise<RawRegion> => {
    const seconds = secondsOf(sound);
    const wallMs = Math.max(TRANSCRIPTION_LIMITS.maxWallMs, Math.ceil(TRANSCRIPTION_LIMITS.wallMsPerSecond * seconds));
    return inTime(
      { clock, wallMs, signal },
      async (bounded) => heard(await ask(sound, bounded), seconds),
      (error, isLate) =>
        isLate ? new RecognitionFailure('timeout', `no answer within ${wallMs} ms`, error) : failureOf(error),
    );
  };

  return {
    engine: 'openai',
    tools: [{ name: 'transcription-server', version: model.slice(0, 160), digest: `sha256:${named}` }],
    parameters: {
      ...settings,
      baseUrl: provider.baseUrl,
      model,
      ...TRANSCRIPTION_LIMITS,
      ...ANSWER_TIMES,
      mostCharactersPerSecond: ANSWER_TEXT.charactersPerSecond,
    },
    languages: servedLanguages.openai,
    wordTimes: options.responseFormat === 'verbose_json' ? 'unknown' : 'none',
    recognize: (sound, signal) => patiently({ clock, mostMs: patienceMs, signal }, () => once(sound, signal)),
  };
}
