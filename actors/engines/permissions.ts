import { ServiceError } from '../../contract/base/errors.ts';
import type { RecognitionWish } from '../../contract/captions/caption-method.ts';
import { type MethodEngines, type MissingPermission, missingForRecognition } from '../../receipts/captions/methods.ts';

const permitted = {
  'permit-recognition': 'recognizing speech',
  'permit-test-seam': 'the fixed texts of the test seam',
} as const;

function namedPermission(missing: MissingPermission): string {
  const { setting } = missing;
  const what =
    setting === 'permit-server' ? `sending ${missing.what} to ${missing.server.baseUrl}` : permitted[setting];
  return `${what} (${setting})`;
}

/** The refusal of work that a person has not permitted: it names the settings that would. */
export const notPermitted = (missing: readonly MissingPermission[]): ServiceError =>
  new ServiceError('permission_required', `not permitted on this host: ${missing.map(namedPermission).join(', ')}`);

/** Throws `permission_required` and `engine_unavailable` for a wish that this host may not or cannot fulfil now. */
export function demandWish({ recognizer }: RecognitionWish, engines: MethodEngines): void {
  const missing = missingForRecognition(engines);
  if (missing.length > 0) throw notPermitted(missing);
  const named = engines.recognizer?.engine ?? null;
  if (named === recognizer) return;
  const found = named === null ? 'no recognizer' : `the recognizer ${named}`;
  throw new ServiceError(
    'engine_unavailable',
    `the settings of this host name ${found}, and the study asks for ${recognizer}`,
  );
}
