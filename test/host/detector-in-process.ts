import { PassThrough } from 'node:stream';
import {
  type DetectorAnswer,
  type DetectorRequest,
  encodeFrame,
  FrameReader,
} from '../../executors/detector/detector-messages.ts';
import { packState, unpackState } from '../../executors/detector/packed-state.ts';
import {
  resumableDigest,
  type SavedStream,
  SoundStream,
  type SpeechModels,
} from '../../executors/detector/sound-stream.ts';
import { ProcessFailure, type RunningProcess } from '../../executors/process/process.ts';
import { BLOCK_SAMPLES, FRAME_SAMPLES } from '../../kinds/sound/sound-signals.ts';

/** Models that take no time to load, and find no speech. */
const deaf: SpeechModels = {
  speech: {
    follow: () => ({ save: () => ({ window: new Uint8Array(), state: new Uint8Array() }) }),
    next: async (asked) => asked.map(() => new Float32Array(BLOCK_SAMPLES / FRAME_SAMPLES)),
  },
  boundary: { probabilities: async (tracks) => tracks.map(({ estimate }) => new Float32Array(estimate.length)) },
};

/** The detector inside the test's process. It measures a sound as the real one does, but it knows neither speech nor languages. */
export function startDetector(signal: AbortSignal): RunningProcess {
  const [stdin, answers] = [new PassThrough(), new PassThrough()];
  const streams = new Map<number, SoundStream>();

  async function handle(request: DetectorRequest, payload: Buffer): Promise<DetectorAnswer | null> {
    if (request.type === 'load') return null;
    const { id, type } = request;
    const stream = streams.get(id);
    switch (type) {
      case 'open':
        streams.set(id, new SoundStream(deaf));
        return null;
      case 'resume': {
        const from = payload.length === 0 ? null : (unpackState(payload) as SavedStream);
        streams.set(id, new SoundStream(deaf, await resumableDigest(from?.state.digest ?? null), from));
        return null;
      }
      case 'save': {
        if (stream === undefined) throw new Error('a sound is to be kept that was never opened');
        streams.delete(id);
        answers.write(encodeFrame({ type: 'saved', id, samples: stream.taken }, packState(stream.save())));
        return null;
      }
      case 'audio':
        await stream?.write(payload);
        return null;
      case 'end': {
        if (stream === undefined) throw new Error('the end of a sound that was never opened');
        return { type: 'sound', id, ...(await stream.finish()), speech: [], unconfirmed: [] };
      }
      case 'identify': {
        const texts: readonly string[] = JSON.parse(payload.toString('utf8'));
        return { type: 'languages', id, texts: texts.map(() => ({ isCovered: false, odds: [] })) };
      }
      case 'abort':
        return { type: 'aborted', id };
    }
  }

  async function serve(): Promise<void> {
    const frames = new FrameReader();
    for await (const chunk of stdin) {
      for (const { header, payload } of frames.push(chunk)) {
        const answer = await handle(header as DetectorRequest, payload);
        if (answer !== null) answers.write(encodeFrame(answer));
      }
    }
  }

  const killed = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new ProcessFailure('aborted', 'the detector was stopped')));
  });
  const finished = Promise.race([serve(), killed])
    .then(() => ({ stderr: Buffer.alloc(0) }))
    .finally(() => answers.end());
  finished.catch(() => undefined);
  return { stdin, stdout: new PassThrough().end(), extra: [answers], finished, kill: () => void stdin.end() };
}
