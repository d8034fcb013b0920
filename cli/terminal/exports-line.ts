import { exportNames } from '../../contract/exports/export-name.ts';
import type { RuntimeOverview } from '../../contract/overview/runtime-overview.ts';
import { asTyped } from './as-typed.ts';

// Captions come after a review. A host says of text on the screen only to those who ask for it.
const laterExports = /^(captions|screen-text)\./;

/** Where the files of a study that has just ended are: for the next command, and for a program. */
export function exportsLine({ runtimeId, findings }: RuntimeOverview): string {
  const isRecognised = findings.some(({ kind }) => kind === 'transcript');
  const names = exportNames.filter(
    (name) => !laterExports.test(name) && (isRecognised || !name.startsWith('transcript.')),
  );
  const path = `/v1/runtimes/${runtimeId}/exports/NAME`;
  return `exports: ${asTyped(`export ${runtimeId} NAME`)}, or ${path}; NAME is one of bundle, ${names.join(', ')}`;
}
