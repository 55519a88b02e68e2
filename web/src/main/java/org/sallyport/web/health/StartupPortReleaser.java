package org.sallyport.web.health;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;

/**
 * Stops the responses that {@code starting.jar} gives while the server boots: the application is deployed, and the
 * server's own listener starts next. Does nothing if the server was started without {@code starting.jar}.
 */
@WebListener
public class StartupPortReleaser implements ServletContextListener {
    private static final String SERVER_MAIN = "org.sallyport.starting.ServerMain";

    @Override
    public void contextInitialized(ServletContextEvent event) {
        call("releasePort");
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        call("reportApplicationEnd");
    }

    private static void call(String method) {
        try {
            // By name: the class is on the class path of the Java VM, not of the application.
            ClassLoader.getSystemClassLoader()
                    .loadClass(SERVER_MAIN)
                    .getMethod(method)
                    .invoke(null);
        } catch (ClassNotFoundException e) {
            System.getLogger(StartupPortReleaser.class.getName())
                    .log(System.Logger.Level.DEBUG, "no startup responder was running");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the main class of the server has failed: " + method, e);
        }
    }
}
