import { existsSync } from 'node:fs';
import { recognizerProgram } from '../../../../features/recognition/engine/open-recognizer.ts';
import { POCKETSPHINX_MODEL } from '../../../../features/recognition/engine/pocketsphinx.ts';

/** True if this machine has pocketsphinx and its model. Without them, the tests that need them are skipped. */
export const hasPocketsphinx =
  (await recognizerProgram('pocketsphinx', process.env)) !== null && existsSync(POCKETSPHINX_MODEL);
