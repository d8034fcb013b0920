import test from 'ava';
import { bodies } from './host/bodies.ts';
import { cancellations } from './host/cancellations.ts';
import { capacity } from './host/capacity.ts';
import { everyCode } from './host/codes.ts';
import { type AdapterFlag, HostContract } from './host/contract.ts';
import { damage } from './host/damage.ts';
import { equalBytes } from './host/equal-bytes.ts';
import { events } from './host/events.ts';
import { guard } from './host/guard.ts';
import { ingestFields } from './host/ingest-fields.ts';
import { lists } from './host/lists.ts';
import { longPolls } from './host/long-polls.ts';
import { mediaKinds } from './host/media-kinds.ts';
import { parser } from './host/parser.ts';
import { paths } from './host/paths.ts';
import { planning } from './host/plans.ts';
import { restarts } from './host/restarts.ts';
import { resumableUploads } from './host/resumable-uploads.ts';
import { reviews } from './host/reviews.ts';
import { starting } from './host/starts.ts';
import { uploads } from './host/uploads.ts';

/** The contract of the wire, held by a real host on one adapter. The suites run in this order, on the same host. */
export function hostContract(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter);
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  paths(contract);
  guard(contract);
  bodies(contract);
  parser(contract);
  ingestFields(contract);
  uploads(contract);
  resumableUploads(contract);
  mediaKinds(contract);
  planning(contract);
  starting(contract);
  events(contract);
  longPolls(contract);
  cancellations(contract);
  lists(contract);
  reviews(contract);
  equalBytes(contract);
  restarts(contract);
  damage(contract);
  capacity(contract);
  everyCode(contract);
}
