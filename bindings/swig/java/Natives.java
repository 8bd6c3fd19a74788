package org.mindtorch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Loads the native libraries: from the folder that -Dmindtorch.library.path names, from java.library.path, or else from the jar of
 * natives on the class path.
 */
final class Natives {
  private static final String[] FILES = {"libmindtorch.so.0", "libmindtorch_java.so"};

  private Natives() {}

  static void load() {
    String folder = System.getProperty("mindtorch.library.path");
    if (folder != null) {
      System.load(Path.of(folder, FILES[1]).toAbsolutePath().toString());
      return;
    }
    try {
      System.loadLibrary("mindtorch_java");
    } catch (UnsatisfiedLinkError notInstalled) {
      loadFromJar(notInstalled);
    }
  }

  private static void loadFromJar(UnsatisfiedLinkError notInstalled) {
    String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
    String place = System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-" + machine;
    try {
      Path folder = Files.createTempDirectory("mindtorch");
      try {
        for (String file : FILES) {
          try (InputStream packed = Natives.class.getResourceAsStream("natives/" + place + "/" + file)) {
            if (packed == null) {
              throw new UnsatisfiedLinkError(notInstalled.getMessage() + ", and there is no jar of natives for " + place);
            }
            Files.copy(packed, folder.resolve(file));
          }
        }
        // The second finds the first beside it.
        System.load(folder.resolve(FILES[1]).toString());
      } finally {
        for (String file : FILES) Files.deleteIfExists(folder.resolve(file));
        Files.deleteIfExists(folder);
      }
    } catch (IOException failure) {
      throw (UnsatisfiedLinkError) new UnsatisfiedLinkError("cannot unpack the native libraries: " + failure).initCause(failure);
    }
  }
}
