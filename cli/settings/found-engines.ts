import { recognizerProgram } from '../../executors/recognition/open-recognizer.ts';
import type { SettingChanges } from './settings-file.ts';

/** Where Ollama listens if nobody moved it; it speaks the interface of OpenAI below `/v1`. */
const ollama = 'http://127.0.0.1:11434/v1';
const serverMs = 1_000;

/** An engine of this machine that captions could be made with, and what it means to use it. */
export interface FoundEngine {
  /** One sentence for the person who is asked: what it does, what leaves the machine, what it costs. */
  readonly offer: string;
  /** The settings that use it. */
  readonly settings: SettingChanges;
}

/** The recogniser of this machine that needs nothing but to be installed; null if it is not, or for a language it does not have. */
export async function foundRecognizer(language: string, environment: NodeJS.ProcessEnv): Promise<FoundEngine | null> {
  if (!/^en\b/i.test(language) || (await recognizerProgram('pocketsphinx', environment)) === null) return null;
  return {
    offer:
      'pocketsphinx is installed: it recognises English speech on this machine. Nothing leaves the machine, and it costs nothing.',
    settings: new Map<string, string | boolean>([
      ['semantic-recognizer', 'pocketsphinx'],
      ['allow-real-semantic-evidence', true],
      ['caption-executor', 'recognized'],
      ['allow-recognized-captions', true],
    ]),
  };
}

interface ModelList {
  readonly data?: readonly { readonly id?: unknown }[];
}

/** The model server of this machine that translates; null if none answers or it has no model. */
export async function foundTranslator(server = ollama): Promise<FoundEngine | null> {
  try {
    const answer = await fetch(`${server}/models`, { signal: AbortSignal.timeout(serverMs) });
    const { data = [] } = (await answer.json()) as ModelList;
    const model = data.map(({ id }) => id).find((id) => typeof id === 'string');
    if (!answer.ok || typeof model !== 'string') return null;
    return {
      offer: `A model server answers at ${server}: its model ${model} can translate captions. Whether it passes text on is up to that server.`,
      settings: new Map<string, string | boolean>([
        ['model-server', server],
        ['caption-executor', 'recognized-translated'],
        ['caption-translation-model', model],
        ['allow-real-caption-production', true],
      ]),
    };
  } catch {
    return null;
  }
}
