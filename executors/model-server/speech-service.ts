import { withinMs } from '../../formats/followed-signal.ts';
import { httpFetch } from '../../formats/http-fetch.ts';
import { boundedBody } from './hosted-provider.ts';

/**
 * The ways in which servers take sound. Most have the interface of OpenAI. The server of whisper.cpp has fields of its own, and
 * whisper-asr-webservice has its options in the address.
 */
export const speechInterfaces = ['openai', 'whisper-server', 'asr'] as const;

export type SpeechInterface = (typeof speechInterfaces)[number];

/** The part of a server that takes sound: its interface, and the address that gets each request. */
export interface SpeechService {
  readonly interface: SpeechInterface;
  readonly address: string;
}

/** The time for all questions that find out how a server takes sound, in ms. One that is absent refuses at once, and a busy machine is slow. */
const serviceMs = 15_000;

/** The description of a server in FastAPI has some hundred kB. */
const descriptionBytes = 2 * 1024 * 1024;

/** An answer as far as it says what a server is. */
interface Presence {
  readonly status: number;
  /** The field `Server`. */
  readonly program: string;
}

async function presenceAt(address: string, method: 'GET' | 'OPTIONS', signal: AbortSignal): Promise<Presence> {
  const answer = await httpFetch(address, { method, signals: [signal], redirect: 'manual' });
  await answer.body?.cancel();
  return { status: answer.status, program: answer.headers.get('server') ?? '' };
}

/** The paths that a server in FastAPI describes; none for any other answer. */
async function describedPaths(root: string, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await httpFetch(`${root}/openapi.json`, { signals: [signal], redirect: 'manual' });
  if (!answer.ok) {
    await answer.body?.cancel();
    return [];
  }
  try {
    const { paths } = JSON.parse(String(await boundedBody(answer, descriptionBytes)));
    return Object.keys(paths ?? {});
  } catch {
    return [];
  }
}

/** An address without the version of an interface at its end. */
export const rootOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');

const openaiAt = (baseUrl: string): SpeechService => ({
  interface: 'openai',
  address: `${baseUrl}/audio/transcriptions`,
});

/**
 * How the server at an address takes sound. It gets no key and no sound, only questions for what it is. Null if it does not answer: then it
 * counts as one with the interface of OpenAI until it does.
 */
export async function speechServiceAt(baseUrl: string): Promise<SpeechService | null> {
  const root = rootOf(baseUrl);
  try {
    return await withinMs(serviceMs, async (signal) => {
      const { status, program } = await presenceAt(`${baseUrl}/models`, 'GET', signal);
      if (program.startsWith('whisper.cpp')) {
        // It is started with any path, and answers OPTIONS at this one alone.
        const paths = [`${baseUrl}/audio/transcriptions`, `${root}/inference`, `${root}/v1/audio/transcriptions`];
        for (const address of paths) {
          const { status: found } = await presenceAt(address, 'OPTIONS', signal);
          if (found < 300) return { interface: 'whisper-server', address };
        }
        return { interface: 'whisper-server', address: `${root}/inference` };
      }
      // A server that wants a key may refuse also a path that it does not have.
      const isUnknown = status === 404 || status === 405 || (root === baseUrl && (status === 401 || status === 403));
      if (!isUnknown) return openaiAt(baseUrl);
      const paths = await describedPaths(root, signal);
      if (paths.includes('/v1/audio/transcriptions')) return openaiAt(`${root}/v1`);
      if (paths.includes('/asr')) return { interface: 'asr', address: `${root}/asr` };
      if (root !== baseUrl) return openaiAt(baseUrl);
      const { status: versioned } = await presenceAt(`${root}/v1/models`, 'GET', signal);
      return openaiAt(versioned < 400 || versioned === 401 || versioned === 403 ? `${root}/v1` : baseUrl);
    });
  } catch {
    return null;
  }
}
