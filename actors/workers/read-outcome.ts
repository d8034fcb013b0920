import { type WorkOrder, type WorkOutcome, workOutcome } from '../../contract/workers.ts';
import { missingTool } from './order-identity.ts';
import { OutcomeRefused } from './outcome-refused.ts';
import type { OrderFile } from './shared-outcomes.ts';

/** An outcome as its worker wrote it. Throws `OutcomeRefused` for what is none. */
export function parsedOutcome({ bytes }: OrderFile): WorkOutcome {
  if (bytes === null) throw new OutcomeRefused('it is no file that can be read');
  try {
    return workOutcome.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new OutcomeRefused('it is no outcome of an order', error);
  }
}

/** The outcome of this very order, by the tools that it asks for and the same program. Throws `OutcomeRefused` for any other. */
export function readOutcome(found: OrderFile, id: string, order: WorkOrder): WorkOutcome {
  const outcome = parsedOutcome(found);
  const { worker, version, tools } = outcome;
  if (outcome.orderId !== id || outcome.operationKey !== order.operationKey) {
    throw new OutcomeRefused(`${worker} wrote it about another order`);
  }
  if (version !== order.version) {
    throw new OutcomeRefused(`${worker} runs version ${version}, and this host ${order.version}`);
  }
  const missing = missingTool(order.tools, tools) ?? missingTool(tools, order.tools);
  if (missing !== null) throw new OutcomeRefused(`${worker} measured with other tools: ${missing}`);
  return outcome;
}
