import { ControllerError } from './controller-error.js';
import { type Flaw, problemText } from './problem-text.js';

/** 500. A class was given as a controller and does not carry `@Controller()`. */
export class NotAControllerError extends ControllerError {
  /** @param name - Name of the class, or text for what was given in its place. */
  constructor(name: string) {
    const title = `${name} is not a controller.`;
    const fix = 'decorate the class with @Controller(), or leave it out of the list.';
    super(problemText({ title, fix }), { code: 'NOT_A_CONTROLLER' });
  }
}

/** 500. A controller has no method with a route decorator, of its own or inherited. */
export class NoRoutesError extends ControllerError {
  /**
   * @param name - Name of the controller class.
   * @param place - Where the class is declared, when that is known.
   */
  constructor(name: string, place?: string) {
    const title = `${name} has no routes.`;
    const fix =
      'decorate a method with @Get(), @Post() or another route decorator, or remove @Controller() from the class.';
    super(problemText({ title, place, fix }), { code: 'NO_ROUTES' });
  }
}

/** 500. A route cannot be registered: its path, parameters, headers or redirect are wrong, or it collides. */
export class RouteRegistrationError extends ControllerError {
  /** The method that declares the route, as `UsersController.create`. */
  readonly handler: string;

  /**
   * @param handler - The method that declares the route, as `UsersController.create`.
   * @param flaw - What is wrong with it; the cause is the router's own error.
   * @param place - Where its class is declared, when that is known.
   */
  constructor(handler: string, { problem, fix, ...cause }: Flaw, place?: string) {
    const title = `Cannot register the route ${handler}: ${problem}`;
    super(problemText({ title, place, fix }), { code: 'ROUTE_REGISTRATION', ...cause });
    this.handler = handler;
  }
}
