import test from 'ava';
import { type ErrorCode, errorCodes, reservedErrorCodes } from '../../../contract/base/error-codes.ts';
import type { HostContract } from './contract.ts';

/** Codes that no request of these suites can provoke, and why. */
const unprovoked: Partial<Record<ErrorCode, string>> = {
  owned_ingest_unavailable: 'owned ingests cannot be switched off',
  internal_failure: 'no fault of the program is known that a request could provoke',
  ingest_identity_failed: 'ids are random and the host gives none twice',
};

/** Codes that suites with a host of their own provoke. */
const elsewhere: Readonly<Record<string, readonly ErrorCode[]>> = {
  'private playback': [
    'invalid_private_playback_grant_request',
    'invalid_private_playback_revocation',
    'invalid_private_playback_renewal',
    'private_playback_source_unavailable',
    'private_playback_source_mismatch',
    'private_playback_mime_unsupported',
    'private_playback_grant_capacity',
    'private_playback_grant_unavailable',
    'private_playback_grant_expired',
    'invalid_private_playback_range',
  ],
  'video hosts': ['ingest_range_too_large'],
  'the study queue': ['study_queue_full'],
  captions: [
    'invalid_caption_request',
    'caption_authority_required',
    'caption_current_run_causality_required',
    'caption_lines_unavailable',
    'illegal_caption_transition',
    'invalid_caption_qc_request',
    'illegal_caption_qc_transition',
  ],
  'captions of recognised speech': ['caption_translation_failed'],
  exports: ['export_unavailable', 'signing_key_unusable'],
  lifecycles: ['unknown_chart', 'unknown_actor'],
  'event streams': ['invalid_subscription'],
  'the operation of a host': [
    'invalid_snapshot_request',
    'invalid_collection_request',
    'runtime_deleted',
    'source_deleted',
    'runtime_live',
    'source_in_use',
    'invalid_pairing_request',
    'pairing_refused',
  ],
  'language explanations': [
    'runtime_in_production',
    'invalid_language_explanation_request',
    'language_explanation_unavailable',
    'language_explanation_caption_authority_required',
    'invalid_language_selection',
    'illegal_language_explanation_transition',
    'language_explanation_executor_failed',
  ],
};

/** Closes the suite: every code of the wire is reserved, named above, or was provoked over a socket. */
export function everyCode(contract: HostContract): void {
  test.serial(contract.title('every code that a request can provoke was provoked'), (t) => {
    const others = Object.values(elsewhere).flat();
    // The other adapter takes bodies of any length.
    const native: readonly ErrorCode[] = contract.adapter === 'node' ? ['content_length_too_large'] : [];
    const exempt = new Set<string>([...reservedErrorCodes, ...Object.keys(unprovoked), ...others, ...native]);
    const provoked = new Set<string>(contract.provoked);
    t.deepEqual(
      Object.keys(errorCodes).filter((code) => !exempt.has(code) && !provoked.has(code)),
      [],
    );
    t.deepEqual(
      [...provoked].filter((code) => exempt.has(code)),
      [],
    );
  });
}
