import { createWriteStream } from 'node:fs';
import type { SampleSpan } from '../../kinds/sound/sound-signals.ts';
import { loadBoundaryModel } from './boundary-model.ts';
import {
  DETECTOR_ANSWER_DESCRIPTOR,
  type DetectorAnswer,
  type DetectorRequest,
  encodeFrame,
  FrameReader,
  type IdentifierAnswer,
} from './detector-messages.ts';
import { packState, unpackState } from './packed-state.ts';
import { loadSpeechModel } from './silero-vad.ts';
import { resumableDigest, type SavedStream, SoundStream, type SpeechModels } from './sound-stream.ts';

// The detector process. It trusts the host that writes to it and handles no error. Any error here ends the process, and the host
// learns of it from the exit.

type Identifier = (text: string) => IdentifierAnswer;

// Languages further behind decide nothing.
const MOST_LANGUAGES = 8;

let speechModels: Promise<SpeechModels> | null = null;
let identifier: Promise<Identifier> | null = null;

const speech = (): Promise<SpeechModels> => {
  speechModels ??= Promise.all([loadSpeechModel(), loadBoundaryModel()]).then(([speech, boundary]) => ({
    speech,
    boundary,
  }));
  return speechModels;
};

const language = (): Promise<Identifier> => {
  identifier ??= import('eld/small').then(
    ({ eld }) =>
      (text) =>
        identified(eld.detect(text)),
  );
  return identifier;
};

function identified(result: { getScores(): Record<string, number>; isReliable(): boolean }): IdentifierAnswer {
  const best = Object.entries(result.getScores()).sort(([, one], [, other]) => other - one);
  const odds = best
    .slice(0, MOST_LANGUAGES)
    .map(([code, score]) => [code, Math.round((1000 * score) / (1 - score)) / 1000] as const);
  return { isCovered: result.isReliable(), odds };
}

const answers = createWriteStream('', { fd: DETECTOR_ANSWER_DESCRIPTOR });
const answer = (message: DetectorAnswer, payload?: Uint8Array): void => {
  answers.write(encodeFrame(message, payload));
};

const streams = new Map<number, SoundStream>();

async function handle(request: DetectorRequest, payload: Buffer): Promise<void> {
  switch (request.type) {
    case 'load':
      await (request.model === 'speech' ? speech() : language());
      return;
    case 'open':
      streams.set(request.id, new SoundStream(await speech()));
      return;
    case 'resume': {
      const from = payload.length === 0 ? null : (unpackState(payload) as SavedStream);
      const digest = await resumableDigest(from?.state.digest ?? null);
      streams.set(request.id, new SoundStream(await speech(), digest, from));
      return;
    }
    case 'save': {
      const stream = streams.get(request.id);
      if (stream === undefined) throw new Error('a sound is to be kept that was never opened');
      streams.delete(request.id);
      answer({ type: 'saved', id: request.id, samples: stream.taken }, packState(stream.save()));
      return;
    }
    case 'audio':
      await streams.get(request.id)?.write(payload);
      return;
    case 'end': {
      const measured = await streams.get(request.id)?.finish();
      streams.delete(request.id);
      if (measured === undefined) throw new Error('the end of a sound that was never opened');
      const edges = (spans: readonly SampleSpan[]) => spans.map(({ start, end }) => [start, end] as const);
      const [speech, unconfirmed] = [edges(measured.speech), edges(measured.unconfirmed)];
      answer({ type: 'sound', id: request.id, ...measured, speech, unconfirmed });
      return;
    }
    case 'abort':
      streams.delete(request.id);
      answer({ type: 'aborted', id: request.id });
      return;
    case 'identify': {
      const identify = await language();
      const texts = JSON.parse(payload.toString('utf8')) as readonly string[];
      answer({ type: 'languages', id: request.id, texts: texts.map(identify) });
      return;
    }
  }
}

async function serve(): Promise<void> {
  const frames = new FrameReader();
  for await (const chunk of process.stdin) {
    for (const { header, payload } of frames.push(chunk)) await handle(header as DetectorRequest, payload);
  }
  answers.end();
}

// From its source the process is loaded as CommonJS, which cannot wait here.
void serve();
