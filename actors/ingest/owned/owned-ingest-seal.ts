import type { EffectOutcome } from '../../../machines/emission.ts';
import type { MediaInput } from '../../../machines/ingest-tail.ts';
import { sealOwnedIngest } from '../../../receipts/sources/seal-source.ts';
import { localProcessingGrant } from '../../../receipts/sources/source-receipt.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { actorRow } from '../../supervision/actor-row.ts';
import type { IngestSealing } from '../ingest-sealing.ts';
import { ownedIngestInput } from './owned-ingest-row.ts';

/** Seals the media of an owned ingest under what its owner said when the ingest was opened. */
export const ownedIngestSeal =
  (ledger: Ledger, sealing: IngestSealing) =>
  (input: MediaInput, signal: AbortSignal): Promise<EffectOutcome> => {
    const row = actorRow.parse(ledger.get('snapshot', input.ingestId));
    const { label, filename, rightsHolder, assertedAt } = ownedIngestInput.parse(row.input);
    const claim = { label, filename, rightsHolder, assertedAt, grant: localProcessingGrant };
    return sealing.seal(input, signal, (measured) => sealOwnedIngest({ ...measured, claim }));
  };
