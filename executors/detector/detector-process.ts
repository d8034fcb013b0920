import { createWriteStream } from 'node:fs';
import { encodeFrame, FrameReader } from './detector-frames.ts';
import { ANSWER_DESCRIPTOR, type DetectorAnswer, type DetectorRequest } from './detector-messages.ts';
import { loadSpeechModel, type SpeechModel } from './silero-vad.ts';
import { SoundStream } from './sound-stream.ts';

// The detector process. It believes the host that writes to it and handles no error: whatever goes wrong here ends the
// process, and the host learns of it from the exit.

type Identifier = (text: string) => string;

let speechModel: Promise<SpeechModel> | null = null;
let identifier: Promise<Identifier> | null = null;

const speech = (): Promise<SpeechModel> => {
  speechModel ??= loadSpeechModel();
  return speechModel;
};

const language = (): Promise<Identifier> => {
  identifier ??= import('eld/small').then(
    ({ eld }) =>
      (text) =>
        eld.detect(text).language,
  );
  return identifier;
};

const answers = createWriteStream('', { fd: ANSWER_DESCRIPTOR });
const answer = (message: DetectorAnswer): void => {
  answers.write(encodeFrame(message));
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
    case 'audio':
      await streams.get(request.id)?.write(payload);
      return;
    case 'end': {
      const measured = await streams.get(request.id)?.finish();
      streams.delete(request.id);
      if (measured === undefined) throw new Error('the end of a sound that was never opened');
      const spoken = measured.speech.map(({ start, end }) => [start, end] as const);
      answer({ type: 'sound', id: request.id, ...measured, speech: spoken });
      return;
    }
    case 'abort':
      streams.delete(request.id);
      answer({ type: 'aborted', id: request.id });
      return;
    case 'identify': {
      const identify = await language();
      const texts = JSON.parse(payload.toString('utf8')) as readonly string[];
      answer({ type: 'languages', id: request.id, codes: texts.map((text) => identify(text) || null) });
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
