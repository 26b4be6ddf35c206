export { type ConnectMiddleware, type ConnectOptions, connect } from './connect.js';
