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

// The process that reads text. It believes the host that writes to it and handles no error: whatever goes wrong here ends the
// process, and the host learns of it from the exit.

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
    errorHandler: (error: unknown) => {
      throw error;
    },
  });
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
      await worker.setParameters(request.settings);
      const { data } = await worker.recognize(payload, {}, { text: false, blocks: true });
      answer({ type: 'lines', id: request.id, lines: linesOf(data.blocks ?? []) });
    }
  }
  await worker?.terminate();
  answers.end();
}

// From its source the process is loaded as CommonJS, which cannot wait here.
void serve();
