import type { PartClaim } from '../../actors/ingest/owned/upload-part.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import { declaredLength } from '../exchange/framing.ts';
import type { PathProtocol } from '../exchange/path-protocol.ts';
import type { RequestHead } from '../listener/listener.ts';
import { canonicalLength } from '../listener/request-head.ts';

/** The version of the tus resumable upload protocol (https://tus.io/protocols/resumable-upload). */
export const tusVersion = '1.0.0';
/** The media type of the body of a part. */
export const partType = 'application/offset+octet-stream';

const extensions = ['creation', 'expiration', 'checksum', 'termination'];
const algorithms = { sha1: 20, sha256: 32 } as const;
type Algorithm = keyof typeof algorithms;

const readableFields = [
  ...['Location', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Expires'],
  ...['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size', 'Tus-Checksum-Algorithm', 'Retry-After'],
];
const sendableFields = [
  ...['Authorization', 'Content-Type', 'Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata'],
  ...['Upload-Checksum', 'X-HTTP-Method-Override', 'X-Request-ID'],
];

/** The protocol of the paths of uploads in parts, for files of at most `maximumBytes()`. */
export const tusProtocol = (maximumBytes: () => number): PathProtocol => ({
  fields: {
    'Tus-Resumable': tusVersion,
    'Access-Control-Expose-Headers': readableFields.join(', '),
  },
  discovery: () => ({
    'Tus-Version': tusVersion,
    'Tus-Extension': extensions.join(','),
    'Tus-Checksum-Algorithm': Object.keys(algorithms).join(','),
    'Tus-Max-Size': String(maximumBytes()),
    'Access-Control-Allow-Methods': 'POST, HEAD, PATCH, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': sendableFields.join(', '),
    'Access-Control-Max-Age': '600',
  }),
  methodOf: (head) => {
    const named = head.method === 'POST' ? head.header('x-http-method-override') : undefined;
    return (named ?? head.method).toUpperCase();
  },
  check: (head) => {
    const given = head.header('tus-resumable');
    if (given === tusVersion && head.count('tus-resumable') === 1) return;
    throw new ServiceError(
      'unsupported_tus_version',
      given === undefined ? 'the request names no version of tus' : 'this host speaks tus 1.0.0 and no other version',
      { 'Tus-Version': tusVersion },
    );
  },
});

/**
 * What the head of a part says. Throws `unsupported_content_encoding`, `unsupported_content_type`, `invalid_upload_offset`,
 * `invalid_upload_checksum`.
 */
export function partClaim(head: RequestHead): PartClaim {
  if ((head.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_content_encoding', 'the media must be sent as it is');
  }
  if ((head.header('content-type') ?? '').trim().toLowerCase() !== partType) {
    throw new ServiceError('unsupported_content_type', `a part of an upload must be ${partType}`);
  }
  const offset = byteCount(head, 'upload-offset');
  if (offset === null) throw new ServiceError('invalid_upload_offset', 'Upload-Offset is not a number of bytes');
  return { offset, bytes: declaredLength(head), checksum: checksum(head) };
}

/** A field that is a number of bytes; null where it is missing, repeated or anything else. */
export function byteCount(head: RequestHead, name: string): number | null {
  const text = head.header(name) ?? '';
  const value = Number(text);
  return canonicalLength.test(text) && Number.isSafeInteger(value) && head.count(name) === 1 ? value : null;
}

function checksum(head: RequestHead): PartClaim['checksum'] {
  const given = head.header('upload-checksum');
  if (given === undefined) return null;
  const [algorithm = '', text = ''] = given.split(' ', 2);
  const digest = Buffer.from(text, 'base64');
  const isDigest =
    isAlgorithm(algorithm) && digest.length === algorithms[algorithm] && digest.toString('base64') === text;
  if (isDigest && head.count('upload-checksum') === 1) return { algorithm, digest };
  throw new ServiceError(
    'invalid_upload_checksum',
    `Upload-Checksum is not the digest of one of ${Object.keys(algorithms).join(', ')} in Base64`,
  );
}

const isAlgorithm = (name: string): name is Algorithm => Object.hasOwn(algorithms, name);
