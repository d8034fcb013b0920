import path from 'node:path';
import { MEMORY_BYTES } from '../process/memory-limits.ts';
import type { Launcher, ProcessLimits } from '../process/process.ts';
import { pinFiles } from './pinned-files.ts';
import { pocketsphinxRegion } from './pocketsphinx-output.ts';
import type { Recognizer } from './recognizer.ts';

const MEBIBYTE = 1024 * 1024;

// A region of 30 s takes about 6 s on one core; the model is loaded anew for each.
const LIMITS: ProcessLimits = {
  wallMs: 300_000,
  cpuSeconds: 240,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: MEBIBYTE,
  stderrBytes: MEBIBYTE,
  memoryBytes: MEMORY_BYTES.recognize,
};

const SOUND_FILE = 'region.raw';

/** Where Debian's `pocketsphinx-en-us` puts its model. */
export const POCKETSPHINX_MODEL = '/usr/share/pocketsphinx/model/en-us';

/** What the engine is set to beside its own defaults. */
const SETTINGS = { bestpath: 'yes', remove_noise: 'yes', remove_silence: 'yes' } as const;

/**
 * The recogniser of Debian's packages `pocketsphinx` and `pocketsphinx-en-us`: English, small, on any machine. It gives
 * words with times and posterior probabilities. `executable` is an absolute path, `model` the folder of the model. Rejects
 * with the error of the file system where one of them is not there.
 */
export async function openPocketsphinx(
  launcher: Launcher,
  { executable, model }: { readonly executable: string; readonly model: string },
): Promise<Recognizer> {
  const [engine, models] = await Promise.all([pinFiles(executable), pinFiles(model)]);
  const name = path.basename(model);
  const args = [
    ...['-infile', SOUND_FILE, '-time', 'yes', '-logfn', '/dev/null'],
    ...['-hmm', path.join(model, name), '-lm', path.join(model, `${name}.lm.bin`)],
    ...['-dict', path.join(model, `cmudict-${name}.dict`)],
    ...Object.entries(SETTINGS).flatMap(([setting, value]) => [`-${setting}`, value]),
  ];
  return {
    engine: 'pocketsphinx',
    tools: [
      // The program states no version; its digest says which one it is.
      { name: 'pocketsphinx_continuous', version: 'unstated', digest: engine.digest },
      { name: 'pocketsphinx-model', version: name, digest: models.digest },
    ],
    parameters: { ...SETTINGS },
    languages: ['en'],
    recognize: async ({ samples }, signal) => {
      await Promise.all([engine.demandUnchanged(), models.demandUnchanged()]);
      const files = [{ name: SOUND_FILE, bytes: samples }];
      const { stdout } = await launcher.run({ tool: executable, args, limits: LIMITS, signal, files });
      return pocketsphinxRegion(stdout.toString('utf8'));
    },
  };
}
