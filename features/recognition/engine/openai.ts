import { createHash } from 'node:crypto';
import type { Clock } from '../../../contract/base/clock.ts';
import { withSaid } from '../../../contract/causes/engine-failures.ts';
import type { RawRegion } from '../../../contract/recognition.ts';
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
import { type SpeechService, speechServiceAt } from '../../../executors/model-server/speech-service.ts';
import {
  ANSWER_TEXT,
  RecognitionFailure,
  type Recognizer,
  type RegionSound,
  secondsOf,
} from '../../../executors/recognition/recognizer.ts';
import { areOneLanguage } from '../../../rules/languages.ts';
import { WHISPER_BEAM } from './engine-answer.ts';
import { ANSWER_TIMES, languageAnswer, transcribedRegion } from './transcription-answer.ts';
import { type ResponseFormat, type TranscriptionRequest, wires } from './transcription-wires.ts';

interface OpenaiRecognizerOptions {
  readonly provider: HostedProvider;
  readonly model: string;
  readonly responseFormat: ResponseFormat;
  readonly clock: Clock;
  /** The longest wait in ms, for one region, until a server that refuses for now takes it; by default none. */
  readonly patienceMs?: number;
  /** How the server takes sound; by default by the interface of OpenAI at its base address. */
  readonly service?: SpeechService;
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

/** Words of servers about a request, beside the status of their refusal. They are the wire of others, and differ. */
const refusalWords = {
  format: /response_format|verbose_json|timestamp_granularit/i,
  model: /\bmodels?\b/i,
  // whisper.cpp builds a text of the name that an unknown code does not have.
  language: /\blanguages?\b|construction from null/i,
} as const;

/** The cause of a refusal by the words of the server; undefined if its status says all. */
function refusedFor(status: number, refused: Refused, format: ResponseFormat, language: string | null) {
  const words = Object.values(refused).join(' ');
  const isOfForm = status === 400 || status === 422;
  if (format === 'verbose_json' && isOfForm && refusalWords.format.test(words)) return 'engine_format_refused';
  const isOfModel = status === 404 && refusalWords.model.test(words);
  if (isOfModel || refused.code === 'model_not_found') return 'engine_model_missing';
  const isOfLanguage = (isOfForm || status === 500) && refusalWords.language.test(words);
  return isOfLanguage && language !== null ? 'engine_language_unknown' : undefined;
}

const nothingSaid: Refused = { message: null, code: null, param: null };

async function refusalOf(
  response: Response,
  format: ResponseFormat,
  { language }: RegionSound,
): Promise<RecognitionFailure> {
  const { status } = response;
  const refused = refusedIn(await response.text(), null) ?? nothingSaid;
  const isAboutForm = format === 'verbose_json' && (status === 400 || status === 422);
  const advice =
    isAboutForm && refused.message === null
      ? '; a model without times needs --semantic-recognizer-response-format json'
      : '';
  const detail = withSaid(`the server refused the request${advice}`, refused.message);
  return new RecognitionFailure(`http_${status}`, detail, response, refusedFor(status, refused, format, language));
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

/** Server errors in a row after which the format without times is tried, before the first answer with times. One may pass by itself. */
const errorsOfFormat = 2;

/**
 * A recognizer behind a transcription server, on this machine or behind https. Each region is one request without
 * a prompt, and a region that the server has taken is never sent again. Its identity cannot be seen from here: its digest is that of
 * its address and the name of the model. A model that knows no times refuses the verbose format: from then on it is asked without.
 */
export function openOpenaiRecognizer(options: OpenaiRecognizerOptions): Recognizer {
  const { provider, model, clock, patienceMs = 0 } = options;
  const service = options.service ?? {
    interface: 'openai',
    address: `${provider.baseUrl}/audio/transcriptions`,
  };
  const wire = wires[service.interface];
  const isOpenai = service.interface === 'openai';
  const areTokens = service.interface === 'whisper-server';
  const beam = provider.isLocal ? WHISPER_BEAM : null;
  const { maxResponseBytes } = TRANSCRIPTION_LIMITS;
  const send = boundedFetch({ apiKey: provider.apiKey, maximumBytes: maxResponseBytes });
  const holdsKey = provider.apiKey === null ? () => false : keyEcho(provider.apiKey);
  const named = createHash('sha256')
    .update(JSON.stringify({ baseUrl: provider.baseUrl, model, ...(isOpenai ? {} : { interface: service.interface }) }))
    .digest('hex');
  let format = options.responseFormat;
  let hasTimes = false;
  let errors = 0;

  const ask = async (
    { url, form }: TranscriptionRequest,
    asked: ResponseFormat,
    sound: RegionSound,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const response = await send(url, { method: 'POST', body: form, signal });
    if (!response.ok) throw await refusalOf(response, asked, sound);
    return parsed(await response.text(), response.headers.get('content-type') ?? '');
  };

  const heard = async (sound: RegionSound, asked: ResponseFormat, signal: AbortSignal): Promise<RawRegion> => {
    const body = await ask(wire.request({ service, model, format: asked, beam, sound }), asked, sound, signal);
    const region = transcribedRegion(body, { seconds: secondsOf(sound), apiKey: provider.apiKey, areTokens });
    // All that is kept of the answer.
    if (holdsKey(JSON.stringify(region))) throw new RecognitionFailure('invalid_output', 'the answer repeats the key');
    return region;
  };

  /** True if a refusal of the verbose format may be one of the format alone. */
  const isOfFormat = (error: unknown): boolean => {
    if (!isOpenai || hasTimes || !(error instanceof RecognitionFailure)) return false;
    if (['http_400', 'http_415', 'http_422'].includes(error.reason)) return true;
    if (error.reason !== 'http_500' && error.reason !== 'http_501') return false;
    errors += 1;
    return errors >= errorsOfFormat;
  };

  const inEitherFormat = async (sound: RegionSound, signal: AbortSignal): Promise<RawRegion> => {
    if (format === 'json') return heard(sound, format, signal);
    try {
      const region = await heard(sound, format, signal);
      hasTimes = true;
      return region;
    } catch (error) {
      signal.throwIfAborted();
      if (!isOfFormat(error)) throw error;
      const region = await heard(sound, 'json', signal).catch(() => {
        // The refusal of the format that was wanted says more.
        throw error;
      });
      format = 'json';
      return region;
    }
  };

  const timed = <Answer>(
    sound: RegionSound,
    signal: AbortSignal,
    use: (bounded: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> => {
    const { maxWallMs, wallMsPerSecond } = TRANSCRIPTION_LIMITS;
    const wallMs = Math.max(maxWallMs, Math.ceil(wallMsPerSecond * secondsOf(sound)));
    return patiently({ clock, mostMs: patienceMs, signal }, () =>
      inTime({ clock, wallMs, signal }, use, (error, isLate) =>
        isLate ? new RecognitionFailure('timeout', `no answer within ${wallMs} ms`, error) : failureOf(error),
      ),
    );
  };

  const { languageRequest } = wire;
  /**
   * The language of a sound by itself, whatever language it is told. The server of whisper.cpp encodes the sound once for it. If
   * its language is not the declared one, it is asked again, for both probabilities. Other servers state none.
   */
  const heardLanguage: Recognizer['heardLanguage'] =
    languageRequest === null
      ? undefined
      : (sound, signal) =>
          timed(sound, signal, async (bounded) => {
            const question = (withProbabilities: boolean) =>
              languageRequest({ service, model, format, beam, sound }, withProbabilities);
            const first = languageAnswer(await ask(question(false), format, sound, bounded), sound.language);
            if (service.interface !== 'whisper-server' || sound.language === null || first === null) return first;
            if (areOneLanguage(first.language, sound.language)) return first;
            return languageAnswer(await ask(question(true), format, sound, bounded), sound.language);
          });

  return {
    engine: 'openai',
    tools: [{ name: 'transcription-server', version: model.slice(0, 160), digest: `sha256:${named}` }],
    parameters: {
      ...wire.settings[options.responseFormat],
      ...(isOpenai && beam !== null && options.responseFormat === 'verbose_json' ? { beam } : {}),
      ...(isOpenai && options.responseFormat === 'verbose_json' ? { whereRefused: 'json' } : {}),
      words: 'joined',
      ...(areTokens ? { means: 'without_marks' } : {}),
      languageCodes: 'whisper',
      baseUrl: provider.baseUrl,
      model,
      ...TRANSCRIPTION_LIMITS,
      ...ANSWER_TIMES,
      mostCharactersPerSecond: ANSWER_TEXT.charactersPerSecond,
    },
    languages: servedLanguages.openai,
    wordTimes: options.responseFormat === 'verbose_json' ? 'unknown' : 'none',
    recognize: (sound, signal) => timed(sound, signal, (bounded) => inEitherFormat(sound, bounded)),
    ...(heardLanguage && { heardLanguage }),
  };
}

/**
 * The same for the server at the address of a provider, which is asked how it takes sound. One that does not answer counts as one with
 * the interface of OpenAI, until it is opened again.
 */
export async function openServedRecognizer(options: Omit<OpenaiRecognizerOptions, 'service'>): Promise<Recognizer> {
  const service = await speechServiceAt(options.provider.baseUrl);
  if (service !== null) return openOpenaiRecognizer({ ...options, service });
  return { ...openOpenaiRecognizer(options), isCurrent: async () => false };
}
