import test from 'ava';
import { changed } from './audits/changed.ts';
import { finished } from './audits/finished.ts';
import { incomplete } from './audits/incomplete.ts';
import { unfinished } from './audits/unfinished.ts';
import { type AdapterFlag, HostContract } from './host/contract.ts';

/** Audits, decisions and evidence over the wire of a real host on one adapter. The suites run in this order. */
export function auditsContract(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter);
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  finished(contract);
  incomplete(contract);
  unfinished(contract);
  changed(contract);
}
