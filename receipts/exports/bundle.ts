import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { artifact } from '../../contract/base/artifact.ts';
import {
  type BundleManifest,
  type BundleStatement,
  bundledCaptions,
  bundleManifest,
  bundlePredicateType,
  bundleStatement,
  type SignedEnvelope,
  type SigstoreBundle,
  signedEnvelope,
  sigstoreBundle,
  statementType,
} from '../../contract/exports.ts';
import { journalEvent } from '../../contract/journal.ts';
import { languageRanges } from '../../contract/sources/languages.ts';
import { mediaProbe, speechActivity } from '../../contract/sources/media-probe.ts';
import { preflightBundle } from '../../contract/sources/preflight-bundle.ts';
import { sourceReceipt } from '../../contract/sources/source-receipt.ts';
import { registeredSource } from '../../contract/sources/source-session.ts';
import { videohostResolution } from '../../contract/sources/videohost-resolution.ts';
import { calibratedForecast, floorForecast, forecastFreeze } from '../../contract/study/forecast.ts';
import { laterStageNames, stageNames } from '../../contract/study/stages.ts';
import { runtimeStart } from '../../contract/study/start.ts';
import {
  canonicalJson,
  contentIdOfJson,
  firstDifference,
  storedBytes,
  utf8Json,
} from '../../formats/canonical-json.ts';
import type { Steps } from '../../formats/steps.ts';
import { laterStagesOf } from '../fold.ts';
import { digestOf } from '../identities.ts';
import { stageNamed } from '../stages/run-stages.ts';
import { shapeFault } from '../stored-records.ts';

/** The paths of the files in a bundle. */
export const bundlePaths = {
  manifest: 'manifest.json',
  signature: 'signature.json',
  publicKey: 'signing-key.pem',
  sigstore: 'signature.sigstore.json',
  captions: 'captions.json',
  journal: 'journal.jsonl',
  rows: 'rows.json',
  schemas: 'schemas.json',
} as const;

const objectPrefix = 'objects/sha256/';

/** The path of a stored file in a bundle. */
export const objectPathOf = (contentId: string): string => `${objectPrefix}${contentId.slice('sha256:'.length)}`;

/** The content id that the path of a stored file states; null for any other path. */
export function objectAt(path: string): string | null {
  const hex = path.startsWith(objectPrefix) ? path.slice(objectPrefix.length) : '';
  return /^[a-f0-9]{64}$/.test(hex) ? `sha256:${hex}` : null;
}

/** The order of paths in a manifest: that of their bytes. */
export const inPathOrder = (one: { readonly path: string }, other: { readonly path: string }): number =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : 0;

/**
 * The fields that the stored forms of a forecast and of its freeze leave out, beside their ids: the description of their own
 * bytes.
 */
const unstored = { content: true } as const;

/** The records of every stage. */
const stageRecords = [...stageNames.map(stageNamed), ...laterStageNames.map((name) => laterStagesOf[name])].map(
  ({ records }) => records,
);

/** Everything that a bundle may hold beside its rows, by what it is. */
const described: Readonly<Record<string, z.ZodType>> = {
  manifest: bundleManifest,
  envelope: signedEnvelope,
  sigstore: sigstoreBundle,
  captions: bundledCaptions,
  statement: bundleStatement,
  event: journalEvent,
  artifact,
  source: registeredSource,
  'source-receipt': sourceReceipt,
  'media-probe': mediaProbe,
  preflight: preflightBundle,
  'speech-activity': speechActivity,
  'language-ranges': languageRanges,
  'videohost-resolution': videohostResolution,
  'run-start': runtimeStart,
  forecast: z.union([
    floorForecast.omit({ ...unstored, forecastId: true }),
    calibratedForecast.omit({ ...unstored, forecastId: true }),
  ]),
  'forecast-freeze': forecastFreeze.omit({ ...unstored, freezeId: true }),
  ...Object.assign({}, ...stageRecords),
};

/** The form of those schemas: their content is that of the program which wrote them, of whatever version. */
export const bundledSchemas = z.strictObject({
  schema: z.literal('studio.runtime-bundle-schemas.v1'),
  schemas: z.record(z.string(), z.looseObject({})),
});

const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, {
    reused: 'ref',
    override: ({ jsonSchema }) => {
      // An empty list of items is not a valid schema; other keywords state that the list is empty.
      if (jsonSchema.prefixItems?.length === 0) delete jsonSchema.prefixItems;
    },
  });

/**
 * The JSON schemas of everything in a bundle whose rows have the schema `rows`, for readers that lack this program, each complete in
 * itself. JSON Schema cannot say all that the program checks. In steps, one for each schema.
 */
export function* bundleSchemasWith(rows: z.ZodType): Steps<Buffer> {
  const schemas: Record<string, object> = {};
  for (const [name, schema] of Object.entries({ ...described, rows })) {
    schemas[name] = jsonSchemaOf(schema);
    yield;
  }
  return storedBytes({ schema: bundledSchemas.shape.schema.value, schemas });
}

/** The statement that follows from a manifest: every file by its digest, and what the bundle is about. */
export function statementOf(manifest: BundleManifest): BundleStatement {
  const { schema, files, ...predicate } = manifest;
  const listed = [{ path: bundlePaths.manifest, contentId: contentIdOfJson(manifest) }, ...files];
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: listed.map(({ path, contentId }) => ({ name: path, digest: { sha256: digestOf(contentId) } })),
    predicateType: bundlePredicateType,
    predicate,
  };
}

const statementBytes = (manifest: BundleManifest): Buffer => Buffer.from(canonicalJson(statementOf(manifest)), 'utf8');

/** The bytes that a signature of an envelope is over (DSSE, *pre-authentication encoding*). */
function signedBytes(payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(statementType)} ${statementType} ${payload.byteLength} `;
  return Buffer.concat([Buffer.from(head, 'utf8'), payload]);
}

/** A signer: a key by its id. */
interface Signer {
  readonly keyId: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/** The stored form of the envelope around the statement of a manifest. */
export const signedManifest = (manifest: BundleManifest, signer: Signer): Buffer =>
  signedPayload(statementBytes(manifest), signer);

/** The stored form of an envelope. */
export function signedPayload(payload: Buffer, { keyId, sign }: Signer): Buffer {
  const signature = Buffer.from(sign(signedBytes(payload))).toString('base64');
  const envelope: SignedEnvelope = {
    payloadType: statementType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyId, sig: signature }],
  };
  return storedBytes(envelope);
}

/** The stored form of an envelope as a Sigstore bundle: it has nothing that does not follow from the envelope. */
export function sigstoreOf(envelope: Uint8Array): Buffer {
  const { data } = signedEnvelope.safeParse(parsed(envelope, 'envelope'));
  if (data === undefined) throw new SignatureFault('envelope');
  const bundle: SigstoreBundle = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      publicKey: { hint: data.signatures[0].keyid },
      tlogEntries: [],
      timestampVerificationData: { rfc3161Timestamps: [] },
    },
    dsseEnvelope: data,
  };
  return storedBytes(bundle);
}

/** Why a signature proves nothing: where the envelope, or what it signs, is not as it has to be. */
export class SignatureFault extends Error {
  readonly place: string;
  constructor(place: string, cause?: unknown) {
    super(place, { cause });
    this.name = 'SignatureFault';
    this.place = place;
  }
}

const parsed = (bytes: Uint8Array, place: string): unknown =>
  utf8Json(bytes, (cause) => new SignatureFault(place, cause));

/** An Ed25519 public key in PEM. Throws `SignatureFault` at `place`. */
export function publicKeyOf(pem: Uint8Array, place: string): KeyObject {
  let key: KeyObject;
  try {
    // The PEM of a private key would be taken, too.
    if (!/^-----BEGIN PUBLIC KEY-----\n/.test(Buffer.from(pem).toString('latin1'))) throw new Error('no public key');
    key = createPublicKey(Buffer.from(pem));
  } catch (error) {
    throw new SignatureFault(place, error);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new SignatureFault(place);
  return key;
}

/**
 * Checks that an envelope is signed by this key, and that it is about this manifest. Throws `SignatureFault` at the first thing
 * that does not hold.
 */
export function checkSignature(bytes: Uint8Array, manifest: BundleManifest, key: KeyObject, keyId: string): void {
  const envelope = signedEnvelope.safeParse(parsed(bytes, 'envelope'));
  if (!envelope.success) throw new SignatureFault(`envelope.${shapeFault(envelope.error)}`);
  // A host writes one form only: other forms could hold unsigned bytes.
  if (!storedBytes(envelope.data).equals(bytes)) throw new SignatureFault('envelope: canonical_form');
  const [signature] = envelope.data.signatures;
  if (signature.keyid !== keyId) throw new SignatureFault('envelope.signatures.0.keyid');
  const payload = Buffer.from(envelope.data.payload, 'base64');
  if (!verify(null, signedBytes(payload), key, Buffer.from(signature.sig, 'base64'))) {
    throw new SignatureFault('envelope.signatures.0.sig');
  }
  const statement = bundleStatement.safeParse(parsed(payload, 'statement'));
  if (!statement.success) throw new SignatureFault(`statement.${shapeFault(statement.error)}`);
  const place = firstDifference(statement.data, statementOf(manifest));
  if (place !== null) throw new SignatureFault(`statement.${place}`);
  if (!payload.equals(statementBytes(manifest))) throw new SignatureFault('statement: canonical_form');
}
