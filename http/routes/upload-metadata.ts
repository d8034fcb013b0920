import { ServiceError } from '../../contract/base/service-error.ts';
import type { OwnedIngestRequest } from '../../contract/ingest/owned-ingest.ts';

/** The keys of `Upload-Metadata` that this host reads. Others, such as those that uploaders add by themselves, are left aside. */
const keys = ['filename', 'label', 'rightsHolder', 'rightsScope', 'ownershipAttested'] as const;

type Metadata = Partial<Record<string, string>>;

const refused = (message: string) => new ServiceError('invalid_ingest_request', message);

/**
 * The request for an ingest that the head of a tus creation stands for, as JSON would say it; its fields are checked by the service.
 * `uploadLength` is null where none can be read. Throws `invalid_ingest_request`.
 */
export function ingestRequestOf(metadata: string | undefined, uploadLength: number | null): object {
  if (uploadLength === null) {
    throw refused('Upload-Length: must be the number of bytes of the file; a length that is sent later is not taken');
  }
  const { ownershipAttested, ...texts } = decoded(metadata ?? '');
  return {
    ...texts,
    declaredBytes: uploadLength,
    ...(ownershipAttested === undefined ? {} : { ownershipAttested: ownershipAttested === 'true' }),
  };
}

function decoded(text: string): Metadata {
  const values: Metadata = {};
  for (const pair of text === '' ? [] : text.split(',')) {
    const [key = '', value = ''] = pair.trim().split(' ', 2);
    if (Object.hasOwn(values, key)) throw refused(`Upload-Metadata: repeats ${key.slice(0, 80)}`);
    if (keys.some((known) => known === key)) values[key] = textOf(key, value);
  }
  return values;
}

function textOf(key: string, value: string): string {
  const bytes = Buffer.from(value, 'base64');
  try {
    if (bytes.toString('base64') === value)
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: said below.
  }
  throw refused(`Upload-Metadata: ${key} must be UTF-8 in Base64`);
}

/** `Upload-Metadata` of an ingest that waits for its media. */
export function metadataOf({
  filename,
  label,
  rightsHolder,
}: Pick<OwnedIngestRequest, 'filename' | 'label' | 'rightsHolder'>) {
  const values = { filename, label, rightsHolder, rightsScope: 'local_processing', ownershipAttested: 'true' };
  return Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value, 'utf8').toString('base64')}`)
    .join(',');
}
