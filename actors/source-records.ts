import { type MediaProbe, mediaProbe } from '../contract/media-probe.ts';
import { ServiceError } from '../contract/service-error.ts';
import { SourceInconsistent } from '../contract/source-fault.ts';
import type { RegisteredSource } from '../contract/source-session.ts';
import { readSealedRecord } from '../receipts/sealed-record.ts';
import { isPassingFault } from '../storage/passing-fault.ts';
import type { Vault } from '../storage/vault.ts';
import { VaultError } from '../storage/vault-error.ts';
import { readSourceFile } from './source-files.ts';
import type { SourceRegistry } from './source-registry.ts';

/** The probe record of a source, hashed and read. Throws `source_revalidation_failed` when it is not what was sealed. */
export async function readMediaProbe(vault: Vault, source: RegisteredSource): Promise<MediaProbe> {
  try {
    const bytes = await readSourceFile(vault, source, source.session.mediaProbe.contentId);
    return readSealedRecord(mediaProbe, bytes, 'container-probe');
  } catch (error) {
    if (isPassingFault(error)) throw error;
    if (error instanceof VaultError || error instanceof SourceInconsistent) throw sourceChanged();
    throw error;
  }
}

export const sourceChanged = (): ServiceError =>
  new ServiceError('source_revalidation_failed', 'the sealed files of the source have changed');

/** The sealed records of the sources that are listed. */
export class SourceRecords {
  readonly #registry: Pick<SourceRegistry, 'current'>;
  readonly #vault: Vault;

  constructor(registry: Pick<SourceRegistry, 'current'>, vault: Vault) {
    this.#registry = registry;
    this.#vault = vault;
  }

  /** The probe record of a session's current revision. Throws `unknown_source_session`, `source_revalidation_failed`. */
  async mediaProbe(sessionId: string): Promise<MediaProbe> {
    const source = this.#registry.current(sessionId);
    if (source === undefined) throw new ServiceError('unknown_source_session', 'no such source session');
    return readMediaProbe(this.#vault, source);
  }
}
