import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import type Tesseract from 'tesseract.js';
import { encodeFrame, FrameReader } from '../../../executors/detector/detector-messages.ts';
import { EngineFailure, READING_PARAMETERS, type TextEngine, textsIn } from './picture-reader.ts';
import { TESSERACT_ANSWER_DESCRIPTOR, type TesseractAnswer, type TesseractRequest } from './tesseract-messages.ts';

// The process that reads text. It trusts the host that writes to it. A picture that the engine cannot read is answered with
// `failed`; every other error ends the process, and the host sees the exit.

const answers = createWriteStream('', { fd: TESSERACT_ANSWER_DESCRIPTOR });
const answer = (message: TesseractAnswer): void => void answers.write(encodeFrame(message));

/** The engine comes in several forms, and its package takes the fastest that this machine runs. */
async function coreOf(): Promise<string> {
  // The one that the package itself asks.
  const ofEngine = createRequire(createRequire(import.meta.url).resolve('tesseract.js'));
  const { relaxedSimd, simd } = ofEngine('wasm-feature-detect') as Record<string, () => Promise<boolean>>;
  if (await relaxedSimd?.()) return 'relaxedsimd-lstm';
  return (await simd?.()) ? 'simd-lstm' : 'lstm';
}

/** The language data lie in the working directory. Without a path, or with a cache, the package would look elsewhere. */
async function open({ languages }: Extract<TesseractRequest, { type: 'open' }>): Promise<Tesseract.Worker> {
  const { createWorker, OEM } = (await import('tesseract.js')).default;
  return createWorker([...languages], OEM.LSTM_ONLY, {
    langPath: process.cwd(),
    cacheMethod: 'none',
    gzip: true,
    // Each failed job rejects its own promise as well. Without a handler the package throws out of reach, which ends the process.
    errorHandler: (error: unknown) => void process.stderr.write(`${String(error)}\n`),
  });
}

const engineOf =
  (worker: Tesseract.Worker): TextEngine =>
  async (pgm, settings) => {
    await worker.setParameters(settings);
    const { data } = await worker.recognize(pgm, {}, { text: false, blocks: true });
    return (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs).flatMap(({ lines }) => lines);
  };

async function read(engine: TextEngine, id: number, picture: Buffer): Promise<TesseractAnswer> {
  try {
    return { type: 'texts', id, texts: await textsIn(picture, engine) };
  } catch (error) {
    if (error instanceof EngineFailure) return { type: 'failed', id, reason: error.message.slice(0, 200) };
    throw error;
  }
}

async function serve(): Promise<void> {
  const frames = new FrameReader();
  let worker: Tesseract.Worker | null = null;
  for await (const chunk of process.stdin) {
    for (const { header, payload } of frames.push(chunk)) {
      const request = header as TesseractRequest;
      if (request.type === 'open') {
        worker = await open(request);
        answer({ type: 'ready', core: await coreOf(), parameters: READING_PARAMETERS });
        continue;
      }
      if (worker === null) throw new Error('a picture came before the languages');
      answer(await read(engineOf(worker), request.id, payload));
    }
  }
  await worker?.terminate();
  answers.end();
}

// From its source the process is loaded as CommonJS, which cannot wait here.
void serve();
