import { streamsContract } from './streams-contract.ts';

streamsContract('uws');
