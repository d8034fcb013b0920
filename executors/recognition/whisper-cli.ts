import path from 'node:path';
import { MEMORY_BYTES } from '../process/memory-limits.ts';
import type { Launcher, ProcessLimits } from '../process/process.ts';
import { pinFiles } from './pinned-files.ts';
import { RecognitionFailure, type Recognizer } from './recognizer.ts';
import { waveFile } from './wave-file.ts';
import { whisperRegion } from './whisper-output.ts';

const MEBIBYTE = 1024 * 1024;

// The largest models take minutes for a region of 30 s on a slow machine.
const LIMITS: ProcessLimits = {
  wallMs: 900_000,
  cpuSeconds: 3600,
  fileSizeBytes: 8 * MEBIBYTE,
  stdoutBytes: MEBIBYTE,
  stderrBytes: 4 * MEBIBYTE,
  memoryBytes: MEMORY_BYTES.recognize,
};

const SOUND_FILE = 'region.wav';
const RESULT = 'region';

/** Temperature 0 without the rises that follow a bad text, and no text of earlier windows. */
const SETTINGS = ['-tp', '0', '-nf', '-mc', '0'] as const;

/**
 * The `whisper-cli` of whisper.cpp with a model file of the user. `executable` and `model` are absolute paths, and their
 * digests hold from here on. Rejects with the error of the file system where one of them is not there.
 */
export async function openWhisperCli(
  launcher: Launcher,
  { executable, model }: { readonly executable: string; readonly model: string },
): Promise<Recognizer> {
  const [engine, weights] = await Promise.all([pinFiles(executable), pinFiles(model)]);
  return {
    engine: 'whisper-cli',
    tools: [
      // The program states no version; its digest says which one it is.
      { name: 'whisper-cli', version: 'unstated', digest: engine.digest },
      { name: 'whisper-model', version: path.basename(model).slice(0, 160), digest: weights.digest },
    ],
    parameters: { settings: SETTINGS.join(' ') },
    languages: null,
    recognize: async ({ samples, language }, signal) => {
      await Promise.all([engine.demandUnchanged(), weights.demandUnchanged()]);
      const { result } = await launcher.run({
        tool: executable,
        args: ['-m', model, '-f', SOUND_FILE, '-l', language ?? 'auto', '-ojf', '-of', RESULT, '-np', ...SETTINGS],
        limits: LIMITS,
        signal,
        files: [{ name: SOUND_FILE, bytes: waveFile(samples) }],
        result: { name: `${RESULT}.json`, maximumBytes: LIMITS.fileSizeBytes },
      });
      if (result === null) throw new RecognitionFailure('invalid_output', 'there is no result');
      return whisperRegion(result.toString('utf8'));
    },
  };
}
