import { verifyRuntime } from '../actors/reopening/verify-runtime.ts';
import { tombstoneCheck } from '../actors/supervision/deletion-rows.ts';
import { systemClock } from '../actors/supervision/system-clock.ts';
import { ServiceError } from '../contract/base/errors.ts';
import { escapedLine } from '../contract/base/grammar.ts';
import { canonicalJson } from '../formats/canonical-json.ts';
import { failureLine, StartError } from '../options/failures.ts';
import { answersQuestion } from '../options/flags.ts';
import { exitCodes } from '../options/outputs.ts';
import { type CheckedLink, EvidenceChainError, type ReportLink } from '../receipts/evidence-chain.ts';
import { acceptLoss, checkLedger } from '../storage/ledger/accept-loss.ts';
import { damagedRowsOf } from '../storage/ledger/examine-rows.ts';
import { damagedObjectsOf } from '../storage/ledger/examine-store.ts';
import { LedgerError } from '../storage/ledger/ledger.ts';
import { openLedger } from '../storage/ledger/open-ledger.ts';
import { dataRootAt, demandDataRoot } from '../storage/objects/data-root.ts';
import { ObjectStoreError } from '../storage/objects/object-store-error.ts';
import { openObjectStore } from '../storage/objects/open-object-store.ts';
import { commands } from './commands.ts';
import { type BundleOptions, type VerifyOptions, verifyOptions } from './options/verify-options.ts';
import { type FoundTranslation, repetitionsOf } from './repeated-translations.ts';
import {
  aboutStudy,
  bundleExit,
  bundleLines,
  bundleVerified,
  faultOf,
  type RuntimeVerification,
  type StoreVerification,
  storeLines,
  storeVerificationOf,
  verdictLines,
  verificationOf,
  type WithAbout,
} from './verification.ts';
import { captionsComparison, isSignedFile } from './verified-captions.ts';

/** The outputs of a command; each text ends its line itself. */
interface Outputs {
  stdout(text: string): void;
  stderr(text: string): void;
}

type Print = (line: string) => void;

async function verify(
  { dataRoot, captions }: VerifyOptions,
  runtimeId: string,
): Promise<WithAbout<RuntimeVerification>> {
  const checked: CheckedLink[] = [];
  const found: FoundTranslation[] = [];
  const report: ReportLink = (link, translation) => {
    checked.push(link);
    if (link.contentId !== null && translation !== undefined) found.push({ contentId: link.contentId, translation });
  };
  const objectStore = await openObjectStore({ root: dataRoot });
  const ledger = await openLedger({
    directory: dataRootAt(dataRoot).ledger,
    clock: systemClock,
    encodeEvent: canonicalJson,
    onFatal: () => undefined,
  });
  try {
    const whole = await verifyRuntime({ ledger, objectStore }, runtimeId, report);
    const repetitions = await repetitionsOf(found);
    const compared = captions === null ? null : await captionsComparison(captions, whole.runtime, null);
    const verification = verificationOf(runtimeId, checked, whole, repetitions, compared);
    return { verification, about: aboutStudy(whole) };
  } catch (error) {
    if (!(error instanceof EvidenceChainError)) throw error;
    return { verification: verificationOf(runtimeId, checked, faultOf(error)), about: null };
  } finally {
    await ledger.close();
  }
}

/** A store that cannot be read at all is damage too; everything else that stops the check is a wrong call. */
async function verified(options: VerifyOptions, runtimeId: string): Promise<WithAbout<RuntimeVerification>> {
  try {
    return await verify(options, runtimeId);
  } catch (error) {
    if (!isStoreDamage(error)) throw error;
    const fault = { link: 'store', place: error.message, contentId: null } as const;
    return { verification: verificationOf(runtimeId, [], fault), about: null };
  }
}

/** Checks the store, and on request gives up what it has lost. */
async function storeVerified({ dataRoot, acceptsLoss, hashesObjects }: VerifyOptions): Promise<StoreVerification> {
  await demandDataRoot(dataRoot);
  try {
    const loss = acceptsLoss ? await acceptLoss(dataRoot, systemClock) : null;
    if (loss !== null) return storeVerificationOf(dataRoot, loss.faults, [], loss);
    const { faults } = await checkLedger(dataRoot);
    const rows = faults.length === 0 ? await damagedRowsOf(dataRootAt(dataRoot).ledger, tombstoneCheck) : [];
    const objects = faults.length === 0 && hashesObjects ? await damagedObjectsOf(dataRoot) : [];
    return storeVerificationOf(dataRoot, faults, [...rows, ...objects], null);
  } catch (error) {
    if (!isStoreDamage(error)) throw error;
    return storeVerificationOf(dataRoot, [error.message], [], null);
  }
}

async function verifyFile(options: BundleOptions, print: Print): Promise<number> {
  const { verification, about } = await bundleVerified(options);
  const lines = options.json
    ? [JSON.stringify(verification)]
    : bundleLines(verification, { about, showsAll: options.showsAll });
  for (const line of lines) print(line);
  return bundleExit(verification, options.trust);
}

const isStoreDamage = (error: unknown): error is LedgerError =>
  error instanceof LedgerError && (error.code === 'store_unreadable' || error.code === 'ledger_damaged');

const isRefusal = (error: unknown): error is Error =>
  [StartError, ServiceError, LedgerError, ObjectStoreError].some((kind) => error instanceof kind);

async function verifyStored(options: VerifyOptions, print: Print): Promise<number> {
  const { runtimeId, json, showsAll } = options;
  if (runtimeId === null) {
    const verification = await storeVerified(options);
    for (const line of json ? [JSON.stringify(verification)] : storeLines(verification)) print(line);
    return verification.verdict === 'damaged' ? exitCodes.failed : exitCodes.done;
  }
  const { verification, about } = await verified(options, runtimeId);
  const lines = json ? [JSON.stringify(verification)] : verdictLines(verification, { about, showsAll });
  for (const line of lines) print(line);
  if (verification.verdict === 'damaged') return exitCodes.failed;
  return isSignedFile(verification.captions ?? null) ? exitCodes.done : exitCodes.withheld;
}

/** Runs `verify` with its arguments, and resolves with the exit code. Rejects only with a fault of this program. */
export async function runVerify(args: readonly string[], outputs: Outputs): Promise<number> {
  const print: Print = (line) => outputs.stdout(`${escapedLine(line)}\n`);
  try {
    if (answersQuestion(args, commands.verify, outputs.stdout)) return 0;
    const options = verifyOptions(args);
    return await ('bundle' in options ? verifyFile(options, print) : verifyStored(options, print));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    outputs.stderr(`${escapedLine(failureLine(error))}\n`);
    return 2;
  }
}
