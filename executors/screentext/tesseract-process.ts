import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import type Tesseract from 'tesseract.js';
import { encodeFrame, FrameReader } from '../detector/detector-messages.ts';
import {
  TESSERACT_ANSWER_DESCRIPTOR,
  type TesseractAnswer,
  type TesseractLine,
  type TesseractRequest,
} from './tesseract-messages.ts';

// The process that reads text. It trusts the host that writes to it. A picture that the engine cannot read is answered with
// `failed`; every other error ends the process, and the host sees the exit.

const answers = createWriteStream('', { fd: TESSERACT_ANSWER_DESCRIPTOR });
const answer = (message: TesseractAnswer): void => void answers.write(encodeFrame(message));

const boxOf = ({ x0, y0, x1, y1 }: Tesseract.Bbox): TesseractLine['box'] => [x0, y0, x1, y1];

const linesOf = (blocks: readonly Tesseract.Block[]): TesseractLine[] =>
  blocks
    .flatMap(({ paragraphs }) => paragraphs)
    .flatMap(({ lines }) => lines)
    .map(({ bbox, confidence, words }) => ({
      box: boxOf(bbox),
      confidence,
      words: words.map((word) => ({ text: word.text, box: boxOf(word.bbox) })),
    }));

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

async function read(
  worker: Tesseract.Worker,
  { id, settings }: Extract<TesseractRequest, { type: 'read' }>,
  picture: Uint8Array,
): Promise<TesseractAnswer> {
  await worker.setParameters(settings);
  try {
    const { data } = await worker.recognize(picture, {}, { text: false, blocks: true });
    return { type: 'lines', id, lines: linesOf(data.blocks ?? []) };
  } catch (error) {
    return { type: 'failed', id, reason: String(error).slice(0, 200) };
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
        answer({ type: 'ready', core: await coreOf() });
        continue;
      }
      if (worker === null) throw new Error('a picture came before the languages');
      answer(await read(worker, request, payload));
    }
  }
  await worker?.terminate();
  answers.end();
}

// From its source the process is loaded as CommonJS, which cannot wait here.
void serve();
