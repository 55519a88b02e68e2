package org.sallyport.web.health;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;

/**
 * Takes the answers away that {@code starting.jar} gives while the server boots: the application is there, and the server's own
 * listener begins next. Where the server was started without it there is nothing to do.
 */
@WebListener
public class StartupPortReleaser implements ServletContextListener {
    private static final String SERVER_MAIN = "org.sallyport.starting.ServerMain";

    @Override
    public void contextInitialized(ServletContextEvent event) {
        try {
            // By name: it is the Java VM's, and not the application's.
            ClassLoader.getSystemClassLoader()
                    .loadClass(SERVER_MAIN)
                    .getMethod("releasePort")
                    .invoke(null);
        } catch (ClassNotFoundException e) {
            System.getLogger(StartupPortReleaser.class.getName())
                    .log(System.Logger.Level.DEBUG, "nobody has answered while the server booted");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "the address of the service is still taken by what answers while it starts", e);
        }
    }
}
